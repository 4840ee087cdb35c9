# SPDX-License-Identifier: MIT
# What 64 bits add to arch.mk.
width-cflags := -m64 -malign-data=abi -march=x86-64 -mcmodel=$(if $(CONFIG_ATTACH),kernel,small) -mno-red-zone
width-ldflags := -m elf_x86_64
# Nothing but vector code wants stacks aligned to 16, and that aligns its own.
arch-stack := -mpreferred-stack-boundary=3
arch-vector := -msse2 -mincoming-stack-boundary=3
