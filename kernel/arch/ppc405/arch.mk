# SPDX-License-Identifier: MIT
# What this architecture adds to the build.
arch-cflags = -m32 -mcpu=405 -msoft-float -mbig-endian -mno-sdata -mmultiple -mregnames -fomit-frame-pointer \
              -fno-builtin-printf -I$(K)/board/$(BOARD)/include
arch-ldflags := -m elf32ppc --orphan-handling=error
# Folders of the machine model for guests.
arch-vm := vm/ppc405
# Files here that only guests need: all of this port is for them.
arch-vm-only :=
# Turned into assembly names, not linked.
arch-drop := asm_offsets.c
# Kilobytes count: no symbol table in the image; reports give addresses, tools/gdb names.
arch-symbols := no
