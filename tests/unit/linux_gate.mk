# SPDX-License-Identifier: MIT
TESTS += linux_gate
linux_gate_INCLUDES := $(addprefix linux/amalgam/,gate.c attach.c)
# The C library's functions, not the kernel's of the same header.
linux_gate_FIRST := -D_GNU_SOURCE= -I$(ROOT)/tests/host/linux -include /usr/include/string.h
linux_gate_CFLAGS := -include $(ROOT)/tests/host/linux/fake_cpus.h -idirafter $(ROOT)/kernel/api -I$(ROOT)/linux/amalgam -fno-toplevel-reorder -Wno-sign-compare
