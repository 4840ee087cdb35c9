# SPDX-License-Identifier: MIT
FUZZERS += decode
decode_SRC := kernel/arch/x86_64/decode.c kernel/arch/x86_64/emulate.c kernel/arch/x86_64/guest_walk.c
decode_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
decode_MAX_LEN := 64
