/* SPDX-License-Identifier: MIT */
/* thread_leave.c - what pthread_exit() does first in a program that has keys or cleanups. */
#include "thread.h"

static void (*leaves[LEAVES])(void);

static void run(void)
{
    for (unsigned i = 0; i < LEAVES; i++) {
        void (*leave)(void) = __atomic_load_n(&leaves[i], __ATOMIC_RELAXED);
        if (leave)
            leave();
    }
}

void thread_leave_by(unsigned which, void (*leave)(void))
{
    __atomic_store_n(&leaves[which], leave, __ATOMIC_RELAXED);
    __atomic_store_n(&thread_leave, run, __ATOMIC_RELEASE);
}
