# SPDX-License-Identifier: MIT
# Counts instructions.
TESTS += ioapic_time
ioapic_time_SRC := kernel/vm/devices/ioapic.c $(addprefix kernel/vm/pc/,lapic.c lapic_regs.c lapic_timer.c) kernel/vm/io.c kernel/arch/x86/cpu/memops.c
ioapic_time_CFLAGS := $(X86) -I$(ROOT)/kernel/vm/pc $(STRETCH_CFLAGS)
