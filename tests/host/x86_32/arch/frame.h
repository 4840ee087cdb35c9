/* SPDX-License-Identifier: MIT */
/* arch/frame.h (x86, 32 bits, stand-in) - what an exception leaves on the stack: no stack pointer where the privilege
 * stays. */
#ifndef AMALGAM_TESTS_X86_32_FRAME_H
#define AMALGAM_TESTS_X86_32_FRAME_H

#include <types.h>

struct trap_frame {
    u32 edi, esi, ebp, unused, ebx, edx, ecx, eax;
    u8 vector, sign[3];
    u32 error, eip, cs, eflags;
};

static inline unsigned long trap_ip(const struct trap_frame *f) { return f->eip; }
static inline unsigned long trap_sp(const struct trap_frame *f) { return (unsigned long)(f + 1); }
static inline unsigned long trap_flags(const struct trap_frame *f) { return f->eflags; }

#endif
