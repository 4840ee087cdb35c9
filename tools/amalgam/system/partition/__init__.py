# SPDX-License-Identifier: MIT
"""Systems of shapes that host partitions only (ppc405): the whole placement is done here, the kernel gets a table."""
