/* SPDX-License-Identifier: MIT */
/* arch/frame.h (x86, 32 bits) - the frame that traps.S builds on the stack for an interrupt or exception. The
 * processor pushes no stack pointer if the privilege does not change, so traps.S writes it into the unused word of
 * PUSHA. */
#ifndef AMALGAM_ARCH_FRAME_H
#define AMALGAM_ARCH_FRAME_H

#include <types.h>

struct trap_frame {
    u32 edi, esi, ebp, esp, ebx, edx, ecx, eax;
    u8 vector, sign[3]; /* 32: an unexpected one */
    u32 error;
    u32 eip, cs, eflags;
};

_Static_assert(sizeof(struct trap_frame) == 13 * 4 && offsetof(struct trap_frame, esp) == 12, "traps.S");

/* For files that serve both widths. */
static inline unsigned long trap_ip(const struct trap_frame *f) { return f->eip; }
static inline void trap_set_ip(struct trap_frame *f, unsigned long ip) { f->eip = (u32)ip; }
static inline unsigned long trap_sp(const struct trap_frame *f) { return f->esp; }
static inline unsigned long trap_flags(const struct trap_frame *f) { return f->eflags; }

#endif
