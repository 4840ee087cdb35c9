/* SPDX-License-Identifier: MIT */
/* arch/frame.h (x86, 64 bits) - the stack after an interrupt or exception (traps.S builds it, with processes
 * user/entry.S). */
#ifndef AMALGAM_ARCH_FRAME_H
#define AMALGAM_ARCH_FRAME_H

#include <types.h>

struct trap_frame {
    u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
    u8 vector, sign[7]; /* 32: a vector that is not expected */
    u64 error;
    u64 rip, cs, rflags, rsp, ss;
};

_Static_assert(sizeof(struct trap_frame) == 22 * 8, "traps.S");

/* Accessors for files of both widths. */
static inline unsigned long trap_ip(const struct trap_frame *f) { return f->rip; }
static inline void trap_set_ip(struct trap_frame *f, unsigned long ip) { f->rip = ip; }
static inline unsigned long trap_sp(const struct trap_frame *f) { return f->rsp; }
static inline unsigned long trap_flags(const struct trap_frame *f) { return f->rflags; }

#endif
