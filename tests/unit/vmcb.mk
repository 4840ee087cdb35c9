# SPDX-License-Identifier: MIT
TESTS += vmcb
vmcb_SRC := kernel/arch/x86/amdv/check.c
vmcb_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86)
