# SPDX-License-Identifier: MIT
files-y := apic.c core.c cpu.c enter.c entry.S exit.c fetch.c init.c msr.c npt.c port.c trap.c
fast-y := apic.c enter.c exit.c fetch.c
