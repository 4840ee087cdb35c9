# SPDX-License-Identifier: MIT
TESTS += split
split_INCLUDES := kernel/attach/split.c
split_SRC := kernel/lib/string.c
TESTS += split_lives
split_lives_INCLUDES := $(split_INCLUDES)
split_lives_SRC := $(split_SRC)
