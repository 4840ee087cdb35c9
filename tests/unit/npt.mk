# SPDX-License-Identifier: MIT
TESTS += npt
npt_SRC := kernel/arch/x86/amdv/npt.c
npt_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86)
