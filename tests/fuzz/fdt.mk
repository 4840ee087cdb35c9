# SPDX-License-Identifier: MIT
FUZZERS += fdt
fdt_SRC := $(addprefix kernel/arch/riscv/boot/,fdt.c machine.c machine_cluster.c slots.c)
fdt_CFLAGS := -I$(ROOT)/kernel/arch/riscv/include -DPAGES_64K=1 -DDRIVEN=1
fdt_MAX_LEN := 256
