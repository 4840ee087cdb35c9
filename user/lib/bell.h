/* SPDX-License-Identifier: MIT */
/*
 * bell.h - two ends that leave things for each other in memory, and ring only who sleeps. Each end has a word there,
 * `sleeps`. Who is going to sleep says so, looks once more for what has come, and sleeps if it is nothing. Who has left
 * something looks at the other end's word. A processor may execute a load before an earlier store, so both have a fence
 * between: one of them sees the other (tests/model/frames.pml, p9_link.pml).
 */
#ifndef AMALGAM_USER_BELL_H
#define AMALGAM_USER_BELL_H

#include <stdbool.h>
#include <stdint.h>

/* After something was left: returns whether the other end, whose word it is, is to be rung. */
static inline bool bell_is_wanted(uint32_t *sleeps)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!__atomic_load_n(sleeps, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(sleeps, 0, __ATOMIC_RELAXED);
    return true;
}

/* Say that this end, whose word it is, is going to sleep. The caller looks once more after this. */
static inline void bell_sleeps(uint32_t *sleeps)
{
    __atomic_store_n(sleeps, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Awake again, for whatever reason: the other end rings no more. */
static inline void bell_awake(uint32_t *sleeps) { __atomic_store_n(sleeps, 0, __ATOMIC_RELAXED); }

#endif
