# SPDX-License-Identifier: MIT
TESTS += i8259
i8259_SRC := kernel/vm/pc/i8259.c kernel/vm/pc/ioapic.c kernel/vm/pc/pit.c kernel/vm/pc/pit_channel.c kernel/vm/pc/rtc.c kernel/lib/mc146818.c kernel/lib/bcd.c kernel/vm/pc/pm.c kernel/vm/pc/pc_devices.c tests/host/fake_vm.c
