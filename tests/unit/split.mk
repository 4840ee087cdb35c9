# SPDX-License-Identifier: MIT
TESTS += split
split_SRC := kernel/attach/split.c kernel/lib/string.c
