# SPDX-License-Identifier: MIT
TESTS += multiboot2
multiboot2_SRC := kernel/arch/x86/boot/multiboot2.c kernel/arch/x86/boot/parse.c
multiboot2_CFLAGS := $(X86)
