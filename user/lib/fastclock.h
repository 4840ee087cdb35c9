/* SPDX-License-Identifier: MIT */
/*
 * fastclock.h - nanoseconds without a call of the kernel, where a process may read the counter of time (RISC-V: CSR
 * `time`, which the firmware lets it). Elsewhere it is amalgam_clock().
 *
 * It is a clock of its own, for what is measured by it from its begin to its end: its rate is right to one part in
 * 8,192, and it never goes back. Who gives a time to the kernel asks amalgam_clock().
 */
#ifndef AMALGAM_USER_FASTCLOCK_H
#define AMALGAM_USER_FASTCLOCK_H

#include <amalgam/clusters.h>
#include <stdint.h>

#ifdef __riscv

#define FASTCLOCK_SHIFT 20

/* Nanoseconds of a tick << FASTCLOCK_SHIFT; 0: not known yet. */
extern uint32_t fastclock_rate;
/* Find it, by one call. Returns it. */
uint32_t fastclock_begin(void);

static inline __attribute__((always_inline)) uint64_t fastclock_ticks(void)
{
#if __riscv_xlen == 64
    uint64_t now;
    __asm__ volatile("rdtime %0" : "=r"(now)::"memory");
    return now;
#else
    uint32_t high, low, again;
    do
        __asm__ volatile("rdtimeh %0; rdtime %1; rdtimeh %2" : "=&r"(high), "=&r"(low), "=r"(again)::"memory");
    while (high != again);
    return (uint64_t)high << 32 | low;
#endif
}

static inline __attribute__((always_inline)) uint64_t fastclock(void)
{
    const uint32_t below = (1u << FASTCLOCK_SHIFT) - 1;
    uint64_t rate = __atomic_load_n(&fastclock_rate, __ATOMIC_RELAXED), ticks;
    if (__builtin_expect(!rate, 0))
        rate = fastclock_begin();
    ticks = fastclock_ticks();
    return (ticks >> FASTCLOCK_SHIFT) * rate + ((ticks & below) * rate >> FASTCLOCK_SHIFT);
}

#else

static inline uint64_t fastclock(void) { return amalgam_clock(); }

#endif

#endif
