# SPDX-License-Identifier: MIT
TESTS += scc_watch
scc_watch_SRC := kernel/board/scc/watch.c
scc_watch_FIRST := -I$(ROOT)/kernel/board/scc/include
# The address sanitizer has its own memory where the board shares its.
scc_watch_CFLAGS := -fno-sanitize=address
