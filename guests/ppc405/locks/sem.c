/* SPDX-License-Identifier: MIT */
/*
 * sem.c - see sem.h. In the paper's words (3.3): wait short and signal short are without other cores; wait long joins
 * the queue, signal long hands the semaphore to its head.
 */
#include "sem.h"
#include <partition/bakery_stop.h>
#include <partition/partition.h>
#include <arch/cpu.h>
#include <wcet.h>

/* End the critical section of mutex_start(); `me`: this core. Not inlined as in the kernel, because the bench counts
 * its calls. */
static LOCK_ROUTINE void stop(struct bakery *b, u32 me) { mutex_stop(b, me); }

bool sem_wait(struct semaphore *s, u32 me)
{
    if (!mutex_start(&s->mutex, me))
        return false;
    if (likely(s->free)) {
        s->free = 0;
        stop(&s->mutex, me);
        return true;
    }
    volatile u32 *granted = &s->granted[me];
    *granted = 0;
    s->queue[s->tail++ % PT_CORES] = (u8)me;
    stop(&s->mutex, me);

    u32 since = hal_now();
    while (!*granted) {
        LOOP_WAITS();
        if ((hal_now() - since) >> LOCK_BOUND)
            return false; /* this core stays in the queue, so all cores behind it wait for ever, too */
    }
    mp_fence();
    return true;
}

bool sem_signal(struct semaphore *s, u32 me)
{
    if (!mutex_start(&s->mutex, me))
        return false;
    if (likely(s->head == s->tail))
        s->free = 1;
    else
        *(volatile u32 *)&s->granted[s->queue[s->head++ % PT_CORES]] = 1;
    stop(&s->mutex, me);
    return true;
}
