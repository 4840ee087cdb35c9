# SPDX-License-Identifier: MIT
"""What the machine that we run on must have."""
