# SPDX-License-Identifier: MIT
TESTS += init
init_SRC := $(addprefix kernel/arch/x86/amdv/,debug.c reset.c)
init_CFLAGS := $(addprefix -include $(ROOT)/,tests/host/x86.h tests/host/debug_registers_host.h) $(X86)
