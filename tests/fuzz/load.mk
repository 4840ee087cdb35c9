# SPDX-License-Identifier: MIT
FUZZERS += load
load_SRC := kernel/vm/load/load.c kernel/vm/load/elf.c kernel/vm/load/elf_pvh.c kernel/vm/load/elf_sections.c kernel/vm/load/bzimage.c kernel/vm/load/multiboot.c kernel/vm/load/multiboot_info.c
load_CFLAGS := $(X86)
load_MAX_LEN := 256
