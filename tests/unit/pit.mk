# SPDX-License-Identifier: MIT
TESTS += pit
pit_SRC := kernel/vm/pc/i8259.c kernel/vm/pc/ioapic.c kernel/vm/pc/pit.c kernel/vm/pc/pit_channel.c kernel/vm/pc/rtc.c kernel/lib/mc146818.c kernel/lib/bcd.c kernel/vm/pc/pm.c kernel/vm/pc/pc_devices.c tests/host/fake_vm.c

TESTS += pit_missed
pit_missed_SRC := $(pit_SRC)

TESTS += pit_smp
pit_smp_SRC := kernel/lib/bcd.c kernel/vm/pc/pit.c kernel/vm/pc/pit_channel.c kernel/core/timer.c kernel/core/timer_set_none.c
pit_smp_FIRST := -I$(ROOT)/tests/host/smp -pthread
