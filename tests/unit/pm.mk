# SPDX-License-Identifier: MIT
TESTS += pm
pm_SRC := kernel/vm/devices/i8259.c kernel/vm/devices/ioapic.c kernel/vm/devices/pit.c kernel/vm/devices/pit_channel.c kernel/vm/devices/rtc.c kernel/lib/mc146818.c kernel/lib/bcd.c kernel/vm/devices/pm.c kernel/vm/devices/pc_devices.c tests/host/fake_vm.c
