# SPDX-License-Identifier: MIT
# What 32 bits add to arch.mk.
width-cflags := -march=rv32imac_zicsr_zifencei -mabi=ilp32
width-vector := -march=rv32imafdc_zicsr_zifencei
width-ldflags := -m elf32lriscv --defsym=LINK_BASE=0xc0000000
# Divisions of 64 bits in two words: the compiler's library. Linux' compiler has none for 32 bits; the one of bare machines has.
width-libs = $(shell riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -print-libgcc-file-name)
