# SPDX-License-Identifier: MIT
FUZZERS += program
program_SRC := kernel/process/program.c
program_CFLAGS := -I$(ROOT)/kernel/arch/x86/64/include
program_MAX_LEN := 512
