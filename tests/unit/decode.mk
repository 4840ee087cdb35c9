# SPDX-License-Identifier: MIT
TESTS += decode
decode_SRC := kernel/arch/x86_64/decode.c
decode_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
