# SPDX-License-Identifier: MIT
TESTS += asids
asids_SRC := $(addprefix kernel/arch/x86/amdv/,state.c vcpu.c)
asids_CFLAGS := $(addprefix -include $(ROOT)/,kernel/arch/x86/64/include/arch/percpu.h tests/host/attach_host.h) $(X86)
asids_LEVEL := -O1

TESTS += amdv_debug
amdv_debug_INCLUDES := kernel/arch/x86/amdv/debug.c
amdv_debug_CFLAGS := $(addprefix -include $(ROOT)/,kernel/arch/x86/64/include/arch/percpu.h tests/host/attach_host.h tests/host/debug_registers_host.h) $(X86)
