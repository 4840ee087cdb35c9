# SPDX-License-Identifier: MIT
TESTS += asids
asids_SRC := $(addprefix kernel/arch/x86/amdv/,state.c vcpu.c)
asids_CFLAGS := $(addprefix -include $(ROOT)/,kernel/arch/x86/64/include/arch/percpu.h tests/host/attach_host.h) $(X86)
asids_LEVEL := -O1
