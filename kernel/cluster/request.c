/* SPDX-License-Identifier: MIT */
/* request.c - the master's thread, and the queue in front of it; see request.h. */
#include "request.h"

#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <core/sched.h>
#include <errors.h>
#include <hal/time.h>

#include "peer.h"

#define MASTER 0  /* the core that serves */
#define TURNS  16 /* that caller and master give others before they sleep: a sleep and a wake-up cost more */

enum { WAITS, ANSWERED, LEFT }; /* request.done */

static struct spinlock lock; /* guards `queue`, inner to nothing */
static struct list queue = LIST_INIT(queue);
static struct list pending = LIST_INIT(pending); /* the master's */
static struct thread *master;
static bool rung = true; /* a cluster rang, perhaps; written on the master's core only */
static u32 resting;      /* the master sleeps, or is about to */

/*
 * Who may sleep says so, then looks once more; who has something for it leaves that, then looks whether it sleeps
 * (tests/model/request.pml). So one of them sees the other, and nobody wakes who is awake.
 */
static void say(u32 *asleep, bool yes)
{
    __atomic_store_n(asleep, yes, __ATOMIC_RELAXED);
    mp_fence();
}
static void wake(const u32 *asleep, struct thread *t)
{
    mp_fence();
    if (__atomic_load_n(asleep, __ATOMIC_RELAXED))
        thread_wake(t);
}

/* Until the master has left it, for a while. */
static bool answered_soon(const struct request *r)
{
    unsigned long flags = irq_save();
    bool left = false;
    for (unsigned i = 0; i < TURNS && !left && this_cpu()->id != MASTER; i++)
        left = cpu_give_way() || __atomic_load_n(&r->done, __ATOMIC_ACQUIRE) == LEFT;
    irq_restore(flags);
    return __atomic_load_n(&r->done, __ATOMIC_ACQUIRE) == LEFT;
}

s64 request_run(struct request *r)
{
    struct thread *self = thread_self();
    r->caller = self;
    r->peer = REQUEST_NOBODY;
    r->done = WAITS;
    r->cancelled = false;
    r->asleep = false;
    r->since = 0;
    unsigned long flags = spin_lock_irqsave(&lock);
    list_push_back(&queue, &r->link);
    spin_unlock_irqrestore(&lock, flags);
    wake(&resting, master);
    sched_poll();
    if (answered_soon(r))
        return r->result;
    say(&r->asleep, true);
    for (u32 done; (done = __atomic_load_n(&r->done, __ATOMIC_ACQUIRE)) != LEFT;) {
        if (done == ANSWERED) {
            cpu_relax(); /* the master is about to leave */
            continue;
        }
        if (READ_ONCE(self->stop) && !r->to_end && !r->cancelled) {
            WRITE_ONCE(r->cancelled, true);
            thread_wake(master);
        }
        thread_block(TICKS_NEVER);
    }
    return r->result;
}

s64 request_pending(struct request *r, unsigned node)
{
    r->peer = (u8)node;
    return time_now() - r->since > time_from_ns(noc_patience()) ? -ETIMEDOUT : REQUEST_PENDING;
}

static struct request *next(void)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    struct request *r = list_empty(&queue) ? NULL : list_entry(queue.next, struct request, link);
    if (r)
        list_remove(&r->link);
    spin_unlock_irqrestore(&lock, flags);
    return r;
}

/* The request is on the caller's stack, and the caller may end: it stays until the master is done with both. */
static void finish(struct request *r, s64 result)
{
    r->result = result;
    __atomic_store_n(&r->done, ANSWERED, __ATOMIC_RELEASE);
    wake(&r->asleep, r->caller);
    __atomic_store_n(&r->done, LEFT, __ATOMIC_RELEASE);
}

/* Whether it is done; it is in no list then. */
static bool try(struct request *r)
{
    s64 result = READ_ONCE(r->cancelled) ? -ECANCELED : r->serve(r);
    if (result == REQUEST_PENDING)
        return false;
    list_remove(&r->link);
    finish(r, result);
    return true;
}

static bool serve_queue(void)
{
    struct request *r = next();
    if (!r)
        return false;
    r->since = time_now();
    if (!try(r))
        list_push_back(&pending, &r->link);
    return true;
}

/* Each pending one again, in order: at most as many as there are threads. Whether one was done. */
static bool serve_pending(void)
{
    bool any = false;
    struct list *after;
    for (struct list *at = pending.next; at != &pending; at = after) {
        after = at->next;
        any |= try(list_entry(at, struct request, link));
    }
    return any;
}

/* Ask those for whom somebody has waited for a while whether they are there: when to look again. */
static ticks_t watch(void)
{
    if (list_empty(&pending))
        return TICKS_NEVER;
    ticks_t now = time_now(), half = time_from_ns(noc_patience() / 2);
    bool any = false;
    for (struct list *at = pending.next; at != &pending; at = at->next) {
        const struct request *r = list_entry(at, struct request, link);
        if (r->peer != REQUEST_NOBODY && now - r->since >= half)
            peer_ask(r->peer);
        any |= r->peer != REQUEST_NOBODY;
    }
    return any ? now + half : TICKS_NEVER;
}

/* A ring after this is seen by the next call, one before it by who reads the lanes now. */
static bool was_rung(void)
{
    bool was = READ_ONCE(rung);
    if (was)
        WRITE_ONCE(rung, false);
    return was;
}

/* Until a ring, a request, or the time to look: -ETIMEDOUT. A ring wakes only who sleeps, so it is looked for here once
 * more, where no interrupt comes between. */
static int sleep(ticks_t until)
{
    unsigned long flags = irq_save();
    bool due = false;
    for (unsigned i = 0; i < TURNS && !due; i++)
        due = cpu_give_way() || queue.next != &queue;
    say(&resting, true);
    int err = due || READ_ONCE(rung) || READ_ONCE(queue.next) != &queue ? 0 : thread_block(until);
    say(&resting, false);
    irq_restore(flags);
    return err;
}

static void serve(void *arg)
{
    bool changed = true;
    peers_start();
    for (;;) {
        if (was_rung() || (changed && peers_held()))
            changed |= peers_poll();
        changed |= serve_queue();
        if (changed) {
            changed = serve_pending();
        } else if (sleep(watch())) {
            peers_poll();
            changed = true;
        }
    }
}

/* Rings are for the master. On other cores, and while it does not sleep, one wakes nobody: a thread is woken under a
 * lock, and waiting for a lock ends in another ring of one's own (cpu_relax on RISC-V). */
void noc_rang(void)
{
    if (this_cpu()->id != MASTER)
        return;
    WRITE_ONCE(rung, true);
    if (master && master->state == THREAD_BLOCKED)
        thread_wake(master);
}

static __init_text void request_init(void)
{
    master = thread_create("master", MASTER, PRIO_MAX, serve, NULL, NULL, false);
    if (!master)
        panic("cluster: no memory for the master's thread");
    thread_start(master);
}
INIT_CALL(request_init);
