# SPDX-License-Identifier: MIT
files-y := bzimage.c elf.c elf_pvh.c elf_sections.c load.c multiboot.c multiboot_info.c
# For guests in ring 1.
files-$(CONFIG_PARA) += linux32.c
