# SPDX-License-Identifier: MIT
"""The calls that cross a boundary: kernel/api/*.yaml read and checked, headers, dispatchers and pages of the manual made of them."""
