# SPDX-License-Identifier: MIT
FUZZERS += multiboot2
multiboot2_SRC := kernel/arch/x86_64/multiboot2.c kernel/arch/x86_64/boot_parse.c
multiboot2_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
multiboot2_MAX_LEN := 512
