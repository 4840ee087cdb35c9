# SPDX-License-Identifier: MIT
TESTS += pvh
pvh_SRC := kernel/arch/x86/boot/pvh.c kernel/arch/x86/boot/parse.c
pvh_CFLAGS := $(X86)
