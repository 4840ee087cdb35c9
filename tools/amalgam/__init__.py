# SPDX-License-Identifier: MIT
"""The host side of Amalgam: build systems, run boards, measure, draw."""
