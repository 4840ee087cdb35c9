# SPDX-License-Identifier: MIT
# What 32 bits add to arch.mk: a Pentium without MMX (P54C), as on the SCC.
width-cflags := -m32 -malign-data=abi -march=pentium -mregparm=3
width-ldflags := -m elf_i386
# The processor wants no stack aligned to more than a word.
arch-stack := -mpreferred-stack-boundary=2
# Applications have the x87.
arch-vector := -mpreferred-stack-boundary=2
