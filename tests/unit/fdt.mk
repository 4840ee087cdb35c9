# SPDX-License-Identifier: MIT
TESTS += fdt
fdt_SRC := $(addprefix kernel/arch/riscv/boot/,fdt.c machine.c machine_cluster.c slots.c) kernel/lib/seed.c
fdt_CFLAGS := -I$(ROOT)/kernel/arch/riscv/include -DPAGES_64K=1 -DSEED=1 -DDRIVEN=1
