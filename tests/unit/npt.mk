# SPDX-License-Identifier: MIT
TESTS += npt
npt_SRC := kernel/arch/x86_64/npt.c
npt_CFLAGS := -include $(ROOT)/tests/host/x86.h -I$(ROOT)/kernel/arch/x86_64/include
