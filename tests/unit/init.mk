# SPDX-License-Identifier: MIT
TESTS += init
init_SRC := kernel/arch/x86/amdv/reset.c
init_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86)
