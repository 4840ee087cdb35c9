# SPDX-License-Identifier: MIT
TESTS += load
load_SRC := kernel/vm/load/load.c kernel/vm/load/elf.c kernel/vm/load/elf_pvh.c kernel/vm/load/elf_sections.c kernel/vm/load/bzimage.c kernel/vm/load/multiboot.c kernel/vm/load/multiboot_info.c
load_CFLAGS := $(X86)
TESTS += load_elf
load_elf_SRC := $(load_SRC)
load_elf_CFLAGS := $(load_CFLAGS)
