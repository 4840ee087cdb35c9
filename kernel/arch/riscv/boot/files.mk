# SPDX-License-Identifier: MIT
files-y := entry.S fdt.c machine.c machine_cluster.c main.c smp.c tables.c
files-$(CONFIG_DEVICE) += slots.c
# Their strings are freed with their text (kernel.lds).
nolto-y := fdt.c machine.c machine_cluster.c main.c smp.c
