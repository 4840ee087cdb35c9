# SPDX-License-Identifier: MIT
TESTS += lock_order
