# SPDX-License-Identifier: MIT
TESTS += lapic
lapic_SRC := kernel/vm/pc/lapic.c kernel/vm/pc/lapic_timer.c kernel/vm/pc/lapic_regs.c
lapic_CFLAGS := $(X86) -I$(ROOT)/kernel/vm/pc
