# SPDX-License-Identifier: MIT
TESTS += pvh
pvh_SRC := kernel/arch/x86_64/pvh.c kernel/arch/x86_64/boot_parse.c
pvh_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
