/* SPDX-License-Identifier: MIT */
/*
 * awake.c - no more cores are awake than the limit permits; see core/awake.h.
 *
 * A core that sleeps has an empty active group, so that a thread which becomes ready there leaves the core asleep
 * (sched_wake.c) unless core_wakes() gives it a place. A place is handed over in two steps, because no two run-queue
 * locks are held at once: the core that sleeps takes the first one out of the queue, then wakes it. In between the
 * place belongs to the core that is woken: waits[] stays set until that core is awake, so that another thread that
 * becomes ready there neither queues the core again nor takes a second place for it.
 */
#include <boot_info.h>
#include <core/awake.h>
#include <core/cpu.h>
#include <core/init.h>
#include <hal/cpu.h>

_Static_assert(!SCHED_WINDOWS, "timer_set.c: the timers of a core that sleeps are those of its one group");

static struct runqueue asleep; /* the active group of a core that sleeps: no thread is in it */

/* The lock is taken inside a run queue's. */
static struct spinlock lock;
static struct awake places;
static u8 waiting[MAX_CPUS]; /* the cores that wait for a place, a ring */
static unsigned first, n_waiting;
static bool waits[MAX_CPUS]; /* the core is in the queue, or has its place and is not awake yet */

/* Core 0 and the exempt one serve the programs: they may always be awake. */
static bool is_limited(const struct cpu *c) { return c->id && c->id != boot_info.exempt; }

struct awake core_awake(void)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    struct awake copy = places;
    spin_unlock_irqrestore(&lock, flags);
    return copy;
}

bool core_wakes(struct cpu *c)
{
    if (c->sched.active != &asleep)
        return false;
    spin_lock(&lock);
    bool may = !waits[c->id] && places.now < places.limit;
    if (may) {
        places.now++;
        places.most = MAX(places.most, places.now);
        c->sched.active = &c->sched.group[0];
    } else if (!waits[c->id]) {
        waits[c->id] = true;
        waiting[(first + n_waiting++) % MAX_CPUS] = (u8)c->id;
    }
    spin_unlock(&lock);
    return may;
}

/* This core's place: returns the core that gets it, or NULL if none waits. */
static struct cpu *hand_over(void)
{
    struct cpu *next = NULL;
    spin_lock(&lock);
    if (n_waiting) {
        next = cpus[waiting[first]];
        first = (first + 1) % MAX_CPUS;
        n_waiting--;
    } else {
        places.now--;
    }
    spin_unlock(&lock);
    return next;
}

static void wake(struct cpu *c)
{
    spin_lock(&c->sched.lock);
    spin_lock(&lock);
    waits[c->id] = false;
    spin_unlock(&lock);
    c->sched.active = &c->sched.group[0];
    c->sched.resched = true;
    spin_unlock(&c->sched.lock);
    hal_ipi_resched(c->id);
}

void core_sleeps(struct cpu *c)
{
    struct sched *s = &c->sched;
    struct cpu *next = NULL;
    if (!places.limit || s->active == &asleep || !is_limited(c))
        return;
    spin_lock(&s->lock);
    if (!s->group[0].map) {
        s->active = &asleep;
        next = hand_over();
    }
    spin_unlock(&s->lock);
    if (next)
        wake(next);
}

static __init_text void awake_init(void)
{
    places.limit = boot_info.awake;
    for (unsigned i = 0; places.limit && i < n_cpus; i++)
        if (is_limited(cpus[i]))
            cpus[i]->sched.active = &asleep;
}
INIT_CALL(awake_init);
