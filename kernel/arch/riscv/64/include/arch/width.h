/* SPDX-License-Identifier: MIT */
/* arch/width.h (RISC-V, 64 bits) - what a register holds, for assembly files; the counter, in one register. */
#ifndef AMALGAM_ARCH_WIDTH_H
#define AMALGAM_ARCH_WIDTH_H

#define LOAD       ld
#define STORE      sd
#define WORD       8
#define WORD_VALUE .dword

#ifndef __ASSEMBLY__
#include <types.h>

static inline u64 read_time(void)
{
    unsigned long now;
    __asm__ volatile("rdtime %0" : "=r"(now)::"memory");
    return now;
}

/* CSR stimecmp (Sstc). */
static inline void write_stimecmp(u64 at) { __asm__ volatile("csrw 0x14d, %0" ::"r"(at) : "memory"); }
/* Set it to 0, which is in the past; returns what it was. */
static inline u64 clear_stimecmp(void)
{
    unsigned long at;
    __asm__ volatile("csrrw %0, 0x14d, zero" : "=r"(at)::"memory");
    return at;
}
#endif

#endif
