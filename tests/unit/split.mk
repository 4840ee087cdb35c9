# SPDX-License-Identifier: MIT
TESTS += split
split_INCLUDES := kernel/attach/split.c
split_SRC := kernel/lib/string.c
