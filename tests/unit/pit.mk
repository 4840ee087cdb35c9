# SPDX-License-Identifier: MIT
TESTS += pit
pit_SRC := kernel/vm/devices/i8259.c kernel/vm/devices/ioapic.c kernel/vm/devices/pit.c kernel/vm/devices/pit_channel.c kernel/vm/devices/rtc.c kernel/lib/mc146818.c kernel/lib/bcd.c kernel/vm/devices/pm.c kernel/vm/devices/pc_devices.c tests/host/fake_vm.c

TESTS += pit_missed
pit_missed_SRC := $(pit_SRC)

TESTS += pit_smp
pit_smp_SRC := kernel/lib/bcd.c kernel/vm/devices/pit.c kernel/vm/devices/pit_channel.c kernel/core/timer.c kernel/core/timer_set_none.c
pit_smp_FIRST := -I$(ROOT)/tests/host/smp -pthread
