# SPDX-License-Identifier: MIT
TESTS += scc_gic
scc_gic_SRC := kernel/board/scc/bell.c kernel/board/scc/gic.c
scc_gic_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/arch/x86/64/include -I$(ROOT)/kernel/arch/x86/include -I$(ROOT)/tests/host/svm
# The address sanitizer has its own memory where the board shares its.
scc_gic_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
scc_gic_LEVEL := -O1
