# SPDX-License-Identifier: MIT
# What 64 bits add to arch.mk.
width-cflags := -march=rv64imac_zicsr_zifencei -mabi=lp64
width-vector := -march=rv64imafdc_zicsr_zifencei
width-ldflags := -m elf64lriscv --defsym=LINK_BASE=0xffffffc000000000
