# SPDX-License-Identifier: MIT
TESTS += io
io_SRC := kernel/vm/io.c
io_CFLAGS := $(X86)
