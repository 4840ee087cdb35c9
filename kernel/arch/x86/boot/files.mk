# SPDX-License-Identifier: MIT
files-y := acpi.c entry.S machine.c main.c multiboot2.c parse.c pvh.c rate.c smp.c time_reference.c trampoline.S
files-$(CONFIG_DYNAMIC) += park.c
files-$(CONFIG_SEED) += seed.c
