# SPDX-License-Identifier: MIT
FUZZERS += pc_devices
pc_devices_SRC := kernel/vm/devices/i8259.c kernel/vm/devices/ioapic.c kernel/vm/devices/pit.c kernel/vm/devices/pit_channel.c kernel/vm/devices/rtc.c kernel/lib/mc146818.c kernel/lib/bcd.c kernel/vm/devices/pm.c kernel/vm/devices/pc_devices.c kernel/vm/devices/uart.c tests/host/fake_vm.c
pc_devices_MAX_LEN := 1024
pc_devices_ARGS := -len_control=0
