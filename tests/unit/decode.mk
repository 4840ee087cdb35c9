# SPDX-License-Identifier: MIT
TESTS += decode
decode_SRC := kernel/arch/x86/amdv/decode.c
decode_CFLAGS := $(X86)
