# SPDX-License-Identifier: MIT
TESTS += cpuid
cpuid_SRC := kernel/vm/pc/cpuid.c
cpuid_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86) -I$(ROOT)/kernel/vm/pc
