/* SPDX-License-Identifier: MIT */
/* arch/width.h (RISC-V, 32 bits) - what a register holds, for assembly files; the counter, in two registers. */
#ifndef AMALGAM_ARCH_WIDTH_H
#define AMALGAM_ARCH_WIDTH_H

#define LOAD       lw
#define STORE      sw
#define WORD       4
#define WORD_VALUE .word

#ifndef __ASSEMBLY__
#include <types.h>

static inline u64 read_time(void)
{
    u32 high, low, again;
    do
        __asm__ volatile("rdtimeh %0; rdtime %1; rdtimeh %2" : "=&r"(high), "=&r"(low), "=r"(again)::"memory");
    while (high != again);
    return (u64)high << 32 | low;
}

/* CSRs stimecmp and stimecmph (Sstc). The low half is first set to its largest value, so that between the writes the
 * alarm is never earlier than the old or the new one. */
static inline void write_stimecmp(u64 at)
{
    __asm__ volatile("csrw 0x14d, %0; csrw 0x15d, %1; csrw 0x14d, %2" ::"r"(~0u), "r"((u32)(at >> 32)), "r"((u32)at)
                     : "memory");
}
/* Set it to 0, which is in the past; returns what it was. */
static inline u64 clear_stimecmp(void)
{
    u32 low, high;
    __asm__ volatile("csrrw %0, 0x14d, zero; csrrw %1, 0x15d, zero" : "=r"(low), "=r"(high)::"memory");
    return (u64)high << 32 | low;
}
#endif

#endif
