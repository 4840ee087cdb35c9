# SPDX-License-Identifier: MIT
TESTS += vmx
vmx_SRC := kernel/arch/x86/vmx/capability.c
vmx_CFLAGS := -include $(ROOT)/tests/host/x86.h -include $(ROOT)/tests/host/msrs.h $(X86)
