# SPDX-License-Identifier: MIT
files-y := entry.S fdt.c machine.c main.c smp.c tables.c
