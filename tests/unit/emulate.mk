# SPDX-License-Identifier: MIT
TESTS += emulate
emulate_SRC := kernel/vm/pc/emulate.c kernel/arch/x86/amdv/decode.c kernel/vm/pc/guest_walk.c kernel/arch/x86/amdv/event.c
emulate_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86) -I$(ROOT)/kernel/vm/pc
TESTS += emulate_strings
emulate_strings_SRC := $(emulate_SRC)
emulate_strings_CFLAGS := $(emulate_CFLAGS)
