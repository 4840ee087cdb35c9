# SPDX-License-Identifier: MIT
FUZZERS += decode
decode_SRC := kernel/arch/x86_64/decode.c kernel/vm/pc/emulate.c kernel/vm/pc/guest_walk.c
decode_CFLAGS := -include $(ROOT)/tests/host/x86.h -I$(ROOT)/kernel/arch/x86_64/include -I$(ROOT)/kernel/vm/pc
decode_MAX_LEN := 64
