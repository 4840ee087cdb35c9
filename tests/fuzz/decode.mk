# SPDX-License-Identifier: MIT
FUZZERS += decode
decode_SRC := kernel/arch/x86/amdv/decode.c kernel/vm/pc/emulate.c kernel/vm/pc/guest_walk.c
decode_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86) -I$(ROOT)/kernel/vm/pc
decode_MAX_LEN := 64
