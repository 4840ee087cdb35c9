/* SPDX-License-Identifier: MIT */
/* arch/frame.h (x86, 32 bits) - what an interrupt or exception leaves on the stack (traps.S builds it). The processor
 * pushes no stack pointer where the privilege stays, so traps.S writes it where PUSHA leaves one that nobody needs. */
#ifndef AMALGAM_ARCH_FRAME_H
#define AMALGAM_ARCH_FRAME_H

#include <types.h>

struct trap_frame {
    u32 edi, esi, ebp, esp, ebx, edx, ecx, eax;
    u8 vector, sign[3]; /* 32: one that nobody expected */
    u32 error;
    u32 eip, cs, eflags;
};

_Static_assert(sizeof(struct trap_frame) == 13 * 4 && offsetof(struct trap_frame, esp) == 12, "traps.S");

/* What files for both widths read of it. */
static inline unsigned long trap_ip(const struct trap_frame *f) { return f->eip; }
static inline unsigned long trap_sp(const struct trap_frame *f) { return f->esp; }
static inline unsigned long trap_flags(const struct trap_frame *f) { return f->eflags; }

#endif
