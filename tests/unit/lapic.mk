# SPDX-License-Identifier: MIT
TESTS += lapic
lapic_SRC := kernel/vm/pc/lapic.c kernel/vm/pc/lapic_timer.c kernel/vm/pc/lapic_regs.c
lapic_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include -I$(ROOT)/kernel/vm/pc
