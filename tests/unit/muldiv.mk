# SPDX-License-Identifier: MIT
TESTS += muldiv
muldiv_INCLUDES := kernel/arch/riscv/cpu/muldiv.c kernel/arch/x86/32/divide.c kernel/arch/x86/64/muldiv.c
muldiv_CFLAGS := -mno-red-zone # steps are counted by the flag TF, which is set on the stack
