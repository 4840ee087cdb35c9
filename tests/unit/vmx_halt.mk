# SPDX-License-Identifier: MIT
TESTS += vmx_halt
vmx_halt_INCLUDES := kernel/arch/x86/vmx/halt.c
vmx_halt_CFLAGS := $(addprefix -include $(ROOT)/,kernel/arch/x86/64/include/arch/percpu.h tests/host/x86.h) -I$(ROOT)/kernel/arch/x86/vmx/include $(X86)

TESTS += vmx_halt_either
vmx_halt_either_INCLUDES := kernel/arch/x86/vmx/halt_either.c
vmx_halt_either_CFLAGS := $(vmx_halt_CFLAGS)
