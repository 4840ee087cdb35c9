# SPDX-License-Identifier: MIT
"""The attach shape: stock Debian on the bare board, and what it needs to have our kernel put beneath it."""
