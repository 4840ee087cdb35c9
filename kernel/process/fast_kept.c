/* SPDX-License-Identifier: MIT */
/*
 * fast_kept.c - fast calls, where the way in saves only what this file's code changes (arch-kept of arch.mk). So
 * nothing is called here, and a call has no argument. The clock, which divides, is one of the others there.
 */
#include <generated/process_calls.h>

#include "process.h"

_Static_assert(USER_FAST == PROCESS_CALL_NULL, "the way in knows which calls may be fast");

bool process_fast(struct user *u)
{
    switch (user_number(u)) {
    case PROCESS_CALL_THREAD_SELF: user_return(u, container_of(u, struct process_thread, user)->number); return true;
    case PROCESS_CALL_NULL: user_return(u, 0); return true;
    default: return false;
    }
}
