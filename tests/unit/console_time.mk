# SPDX-License-Identifier: MIT
# Counts instructions, with the kernel's way of copying.
TESTS += console_time
console_time_SRC := $(addprefix kernel/core/,console.c console_ring.c console_text.c) kernel/arch/x86/cpu/memops.c kernel/lib/string.c
console_time_CFLAGS := $(STRETCH_CFLAGS)
