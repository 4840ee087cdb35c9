/* SPDX-License-Identifier: MIT */
/*
 * life.h - the number of a life: of a kernel, a cluster, a domain, a process, an area (docs/lives.md).
 *
 * Who outlives it counts. Numbers fit into LIFE_BITS, so that a wire has room for one beside other things, and go on
 * from 1 at their end. An older life is one that began up to half a round ago; whoever remembers a life's number must
 * not remember it for longer than that (docs/counters.md has the times).
 */
#ifndef AMALGAM_LIFE_H
#define AMALGAM_LIFE_H

#include <types.h>

#define LIFE_NONE 0u /* it has not begun, or nobody has heard of it */
#define LIFE_BITS 24
#define LIFE_MASK ((1u << LIFE_BITS) - 1)

/* Returns the number of the life after `life`, which may be LIFE_NONE. Pure. */
static inline u32 life_next(u32 life) { return life == LIFE_MASK ? 1 : life + 1; }

/* Returns whether life `a` began before `b` did: both are of the same owner. LIFE_NONE is older than all others.
 * Pure. */
static inline bool life_is_older(u32 a, u32 b)
{
    if (a == LIFE_NONE || b == LIFE_NONE)
        return a == LIFE_NONE && b != LIFE_NONE;
    return a != b && ((b - a) & LIFE_MASK) < 1u << (LIFE_BITS - 1);
}

#endif
