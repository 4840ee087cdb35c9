# SPDX-License-Identifier: MIT
files-y := i8259.c ioapic.c pc_devices.c pit.c pit_channel.c pm.c rtc.c uart.c
