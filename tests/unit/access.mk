# SPDX-License-Identifier: MIT
TESTS += access
access_SRC := kernel/vm/pc/access.c kernel/vm/pc/measure.c kernel/vm/pc/emulate.c kernel/arch/x86/amdv/decode.c kernel/vm/pc/guest_walk.c
access_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86) -I$(ROOT)/kernel/vm/pc
