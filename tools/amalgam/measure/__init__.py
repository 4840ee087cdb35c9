# SPDX-License-Identifier: MIT
"""Counted runs and what is made of them: benches, budgets, plugins, timelines, pictures."""
