/* SPDX-License-Identifier: MIT */
/* dma.c - the engine's thread, and the ring of its jobs; see dma.h. */
#include "dma.h"

#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <core/thread.h>
#include <hal/noc.h>

#include "request.h"

#define RING 16u /* a power of two */

static struct dma_job *ring[RING];
static u32 put, taken;        /* jobs; written by the master, by the engine */
static u32 resting;           /* the engine sleeps or is about to sleep */
static struct thread *engine; /* NULL: there is none */

bool dma_is_there(void) { return engine; }

/* The engine sets `resting` and then looks at the ring once more; so one of the two sees the other's store. */
bool dma_start(struct dma_job *j)
{
    if (put - __atomic_load_n(&taken, __ATOMIC_ACQUIRE) == RING)
        return false;
    WRITE_ONCE(j->busy, true);
    ring[put % RING] = j;
    __atomic_store_n(&put, put + 1, __ATOMIC_RELEASE);
    mp_fence();
    if (__atomic_load_n(&resting, __ATOMIC_RELAXED))
        thread_wake(engine);
    return true;
}

static bool is_idle(void) { return __atomic_load_n(&put, __ATOMIC_ACQUIRE) == taken; }

static void rest(void)
{
    unsigned long flags = irq_save();
    __atomic_store_n(&resting, true, __ATOMIC_RELAXED);
    mp_fence();
    if (is_idle())
        thread_block(TICKS_NEVER);
    __atomic_store_n(&resting, false, __ATOMIC_RELAXED);
    irq_restore(flags);
}

/* The job lies on its caller's stack: it is gone as soon as it is not busy. */
static void work(void *arg)
{
    for (;;) {
        if (is_idle()) {
            rest();
            continue;
        }
        struct dma_job *j = ring[taken % RING];
        dma_copy(j);
        __atomic_store_n(&taken, taken + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&j->busy, false, __ATOMIC_RELEASE);
        request_again();
    }
}

static __init_text void dma_init(void)
{
    unsigned core = noc_engine();
    if (!core)
        return;
    engine = thread_create("dma", core, PRIO_MAX, work, NULL, NULL, false);
    if (!engine)
        panic("cluster: no memory for the DMA engine's thread");
    thread_start(engine);
}
INIT_CALL(dma_init);
