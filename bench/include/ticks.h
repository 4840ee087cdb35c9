/* SPDX-License-Identifier: MIT */
/* ticks.h - for programs that measure: x86's time stamp counter, which under icount counts instructions, or RISC-V's
 * counter of time, whose steps are many of them; and samples by their size. */
#ifndef TICKS_H
#define TICKS_H

#include <stdint.h>

#if defined(__i386__) || defined(__x86_64__)
static inline uint64_t ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}
#elif defined(__riscv) && __riscv_xlen == 64
static inline uint64_t ticks(void)
{
    uint64_t now;
    __asm__ volatile("rdtime %0" : "=r"(now) : : "memory");
    return now;
}
#endif

/* For qsort(). */
static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

#endif
