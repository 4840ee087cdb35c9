# SPDX-License-Identifier: MIT
TESTS += fdt
fdt_SRC := kernel/arch/riscv/boot/fdt.c kernel/arch/riscv/boot/machine.c
fdt_CFLAGS := -I$(ROOT)/kernel/arch/riscv/include -DPAGES_64K=1
