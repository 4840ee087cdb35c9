# SPDX-License-Identifier: MIT
"""`python -m amalgam`, which is what the launcher at the top of the checkout runs."""

import sys

from amalgam.cli import main

sys.exit(main(sys.argv[1:]))
