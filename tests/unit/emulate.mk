# SPDX-License-Identifier: MIT
TESTS += emulate
emulate_SRC := kernel/arch/x86_64/emulate.c kernel/arch/x86_64/decode.c kernel/arch/x86_64/guest_walk.c
emulate_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
