/* SPDX-License-Identifier: MIT */
/*
 * arch/time.h (x86) - the counter is the TSC. Each machine with AMD-V has one that runs at a constant rate and in step
 * on all cores (checked at boot against the reference timer, time.c).
 */
#ifndef AMALGAM_ARCH_TIME_H
#define AMALGAM_ARCH_TIME_H

#include <types.h>

static inline ticks_t time_now(void)
{
    u32 lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
    return lo | (u64)hi << 32;
}

#endif
