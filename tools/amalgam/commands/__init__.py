# SPDX-License-Identifier: MIT
"""One module a command: add(subparsers) describes it, run(args) does it and returns the exit status."""
