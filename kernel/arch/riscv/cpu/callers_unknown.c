/* SPDX-License-Identifier: MIT */
/* callers_unknown.c - in place of backtrace.c in a kernel without the table of frames (CONFIG_NO_SYMBOLS). */
#include <hal/upcalls.h>

void arch_backtrace(const struct trap_frame *f) {}
