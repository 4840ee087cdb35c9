# SPDX-License-Identifier: MIT
TESTS += split
split_SRC := kernel/core/split.c kernel/lib/string.c
