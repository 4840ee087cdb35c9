# SPDX-License-Identifier: MIT
TESTS += seed_line
seed_line_SRC := kernel/arch/x86/boot/seed.c kernel/lib/seed.c
seed_line_CFLAGS := $(X86)
