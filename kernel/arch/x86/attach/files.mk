# SPDX-License-Identifier: MIT
files-y := apic.c core.c cpu.c cpus.c enter.c entry.S exit.c fetch.c init.c maps.c msr.c npt.c port.c refuse.c trap.c
fast-y := apic.c cpus.c enter.c exit.c fetch.c refuse.c
