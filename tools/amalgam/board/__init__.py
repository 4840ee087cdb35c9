# SPDX-License-Identifier: MIT
"""Boards: start one, talk to its consoles, never leave it behind."""
