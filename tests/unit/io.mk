# SPDX-License-Identifier: MIT
TESTS += io
io_SRC := kernel/vm/io.c
io_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
