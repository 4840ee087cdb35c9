# SPDX-License-Identifier: MIT
files-y := apic.c core.c core_back.c core_clock.c core_reset.c core_stop.c cpu.c cpus.c enter.c entry.S exit.c fetch.c head.S header.c init.c maps.c msr.c msr_try.S npt.c port.c refuse.c sx.S trap.c
fast-y := apic.c cpus.c enter.c exit.c fetch.c refuse.c
