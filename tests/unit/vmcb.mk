# SPDX-License-Identifier: MIT
TESTS += vmcb
vmcb_SRC := kernel/arch/x86/amdv/check.c
vmcb_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86)

TESTS += amdv_setup
amdv_setup_INCLUDES := kernel/arch/x86/amdv/setup.c
amdv_setup_CFLAGS := $(addprefix -include $(ROOT)/,kernel/arch/x86/64/include/arch/percpu.h tests/host/attach_host.h) $(X86)
