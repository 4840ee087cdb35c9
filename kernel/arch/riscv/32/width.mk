# SPDX-License-Identifier: MIT
# What 32 bits add to arch.mk.
width-cflags := -march=rv32imac_zicsr_zifencei -mabi=ilp32
width-vector := -march=rv32imafdc_zicsr_zifencei
width-ldflags := -m elf32lriscv --defsym=LINK_BASE=0xc0000000
