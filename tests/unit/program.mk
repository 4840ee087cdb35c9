# SPDX-License-Identifier: MIT
TESTS += program
program_SRC := kernel/process/program.c
program_CFLAGS := -I$(ROOT)/kernel/arch/x86/64/include
