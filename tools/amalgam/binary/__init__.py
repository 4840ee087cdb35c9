# SPDX-License-Identifier: MIT
"""What linked programs say: names by address, tables for a panic, core files, where instructions begin."""
