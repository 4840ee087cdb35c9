# SPDX-License-Identifier: MIT
TESTS += retire
retire_SRC := $(addprefix kernel/arch/x86/amdv/,event.c fast.c exit.c)
retire_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86)
