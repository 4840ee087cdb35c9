# SPDX-License-Identifier: MIT
"""Systems of the manycore shape: clusters of harts, each with a slice of memory, and a NoC slice that all read."""
