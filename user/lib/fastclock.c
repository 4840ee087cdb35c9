/* SPDX-License-Identifier: MIT */
/* fastclock.c - see fastclock.h. */
#include "fastclock.h"

#include <stdbool.h>

#ifdef __riscv

#define PRECISE 8192u /* how many times the time since the start is what one call takes */

uint32_t fastclock_rate;

/* Both count from the board's start, so the rate is their ratio, if nothing has come between the two looks. */
uint32_t fastclock_begin(void)
{
    uint64_t ticks, ns;
    do {
        ticks = fastclock_ticks();
        ns = amalgam_clock();
    } while ((fastclock_ticks() - ticks) * PRECISE > ticks || !ns);
    for (; ns >> (63 - FASTCLOCK_SHIFT); ns >>= 1)
        ticks >>= 1;
    uint32_t none = 0, rate = (uint32_t)((ns << FASTCLOCK_SHIFT) / ticks);
    /* the first one stays, or the clock would go back */
    return __atomic_compare_exchange_n(&fastclock_rate, &none, rate, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? rate
                                                                                                                : none;
}

#endif
