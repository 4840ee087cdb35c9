# SPDX-License-Identifier: MIT
TESTS += vmcb
vmcb_SRC := kernel/arch/x86_64/amdv_check.c
vmcb_CFLAGS := -include $(ROOT)/tests/host/x86.h -I$(ROOT)/kernel/arch/x86_64/include
