# SPDX-License-Identifier: MIT
TESTS += chip
chip_SRC := kernel/process/chip.c
chip_FIRST := -Wno-int-to-pointer-cast -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/arch/x86/32/include -I$(ROOT)/kernel/arch/x86/include
# The address sanitizer has its own memory where the board shares its.
chip_CFLAGS := -fno-sanitize=address
