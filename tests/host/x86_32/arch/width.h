/* SPDX-License-Identifier: MIT */
/* arch/width.h (x86, 32 bits, stand-in) - a barrier for processors without MFENCE. */
#ifndef AMALGAM_TESTS_X86_32_WIDTH_H
#define AMALGAM_TESTS_X86_32_WIDTH_H

static inline void mp_fence(void) { __asm__ volatile("lock; addl $0, (%%esp)" ::: "memory", "cc"); }

#endif
