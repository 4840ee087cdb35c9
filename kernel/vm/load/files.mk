# SPDX-License-Identifier: MIT
files-y := bzimage.c elf.c elf_pvh.c load.c multiboot.c multiboot_info.c
