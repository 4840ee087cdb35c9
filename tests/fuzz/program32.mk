# SPDX-License-Identifier: MIT
FUZZERS += program32
program32_SRC := kernel/process/program.c
program32_CFLAGS := $(addprefix -I$(ROOT)/kernel/arch/riscv/,include 32/include) -DPAGES_64K=0
program32_MAX_LEN := 512
