/* SPDX-License-Identifier: MIT */
/* master.c - the master's thread, and the requests that wait for it; see request.h. A caller's side is request.c. */
#include "master.h"

#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <core/sched.h>
#include <errors.h>
#include <hal/time.h>
#include <hal/upcalls.h>

#include "peer.h"
#include "policy.h"

#define VAIN   4         /* vain rings in a PERIOD, after which no more are taken until it ends */
#define PERIOD 100000ull /* ns */

struct request *arrivals;
u32 resting;
bool remote_due;
static struct list pending = LIST_INIT(pending); /* used by the master only */
static struct list queued = LIST_INIT(queued);   /* looked at only after request_again(), for callers that give up */
static struct list *following;                   /* the request that serve_each() tries next; else NULL */
static struct thread *master;
static bool rung = true; /* a cluster may have rung; written on the master's core only */
static bool again;       /* request_again() */
static bool watch_due;   /* watch() is; `again` says so, too */

void master_wake(void) { thread_wake(master); }

static inline struct request *earlier_than(const struct request *r)
{
    for (;;) {
        policy_look(r);
        struct request *earlier = __atomic_load_n(&r->earlier, __ATOMIC_RELAXED);
        if (earlier != r)
            return earlier;
        cpu_relax();
    }
}

static u8 cancelled(const struct request *r)
{
    policy_look(r);
    return READ_ONCE(r->cancelled);
}

void request_again(void)
{
    __atomic_store_n(&again, true, __ATOMIC_SEQ_CST);
    mp_fence();
    wake_master();
}

static void watch_now(void *arg)
{
    WRITE_ONCE(watch_due, true);
    request_again();
}

s64 request_pending(struct request *r, unsigned node)
{
    r->peers = 1u << node;
    bool late = following && time_now() - r->since >= time_from_ns(noc_patience());
    return late && !peer_is_slow(node) ? -ETIMEDOUT : REQUEST_PENDING;
}

/* Its caller was asleep: it waits for REQUEST_LEFT, after which nothing here accesses request and thread. */
static __noinline void wake_caller(struct request *r)
{
    policy_look(r);
    thread_wake(r->caller);
    __atomic_store_n(&r->state, REQUEST_LEFT, __ATOMIC_RELEASE);
    policy_told(&r->state);
}

/* Store the result. The request is on the caller's stack, and a caller that is awake continues, and may end, when it
 * sees REQUEST_DONE. */
static inline void finish(struct request *r, s64 result)
{
    r->result = result;
    policy_finish(r);
    policy_look(&r->state);
    u32 was = __atomic_exchange_n(&r->state, REQUEST_DONE, __ATOMIC_ACQ_REL);
    policy_told(&r->state);
    if (unlikely(was != REQUEST_AWAITED))
        wake_caller(r);
}

/* It stays pending. */
static inline void note_pending(const struct request *r)
{
    if (r->peers && !watching)
        watch_later();
}

static inline bool is_queued(s64 result) { return REMOTE_ALL && result == REQUEST_QUEUED; }

/* Try a request that has arrived. It is finished, which *any tells, or it stays. */
static inline void serve_first(struct request *r, bool *any)
{
    s64 result = r->serve(r);
    if (unlikely(result == REQUEST_PENDING || is_queued(result))) {
        r->since = time_now();
        list_push_back(is_queued(result) ? &queued : &pending, &r->link);
        note_pending(r);
        return;
    }
    *any = true;
    finish(r, result);
}

/* The same for several; `r` is the latest. Returns whether one is finished. */
static __noinline bool serve_several(struct request *r, struct request *earlier)
{
    struct list *first = NULL;
    for (;;) {
        policy_take(r);
        r->link.next = first;
        if (!earlier)
            break;
        first = &r->link;
        r = earlier;
        earlier = earlier_than(r);
    }
    bool any = false;
    for (;;) {
        first = r->link.next;
        serve_first(r, &any);
        if (!first)
            return any;
        r = list_entry(first, struct request, link);
    }
}

/* Serve all requests that have arrived, in their order. Returns whether one was finished; then others may be possible.
 */
static inline bool serve_arrivals(void)
{
    struct request *r = __atomic_exchange_n(&arrivals, NULL, __ATOMIC_ACQUIRE), *earlier = earlier_than(r);
    if (unlikely(earlier))
        return serve_several(r, earlier);
    bool any = false;
    policy_take(r);
    serve_first(r, &any);
    return any;
}

/* Drop a pending request, or go on with it. */
static s64 cancel(struct request *r, bool ends)
{
    if (!r->drop || r->drop(r, ends))
        return ends ? -ECANCELED : -EINTR;
    return ends ? REQUEST_PENDING : r->serve(r);
}

void request_finish(struct request *r, s64 result)
{
    if (following == &r->link)
        following = r->link.next;
    list_remove(&r->link);
    finish(r, result);
}

/* Try each request of a list again, in order; there are at most as many as threads. Returns whether one was finished.
 */
static bool serve_each(struct list *stay)
{
    bool any = false;
    for (struct list *at = stay->next; at != stay; at = following) {
        struct request *r = list_entry(at, struct request, link);
        following = at->next;
        u8 why = cancelled(r);
        s64 result = why == REQUEST_CALLED || why == REQUEST_ENDS ? cancel(r, why == REQUEST_ENDS) : r->serve(r);
        if (result == REQUEST_PENDING || is_queued(result)) {
            note_pending(r);
            continue;
        }
        request_finish(r, result);
        any = true;
    }
    following = NULL;
    return any;
}

/* Clear a flag that announces work. Returns whether it was set. Work that is stored before this is seen by the caller's
 * next check; work that is stored after it sets the flag again. */
static bool taken(bool *left)
{
    bool was = READ_ONCE(*left);
    if (was)
        WRITE_ONCE(*left, false);
    return was;
}

static bool is_idle(void) { return !READ_ONCE(rung) && !READ_ONCE(again) && !READ_ONCE(arrivals); }

/* Neighbours may ring without end. While rings are deferred, those of this cluster's own cores wait, too. */
static struct timer period;
static ticks_t began;
static unsigned vain;

static void take_rings_again(void *arg) { cpu_defer_ipi(false); }

static void note_vain_ring(void)
{
    ticks_t now = time_now(), length = time_from_ns(PERIOD);
    if (now - began >= length) {
        began = now;
        vain = 0;
    }
    if (++vain != VAIN)
        return;
    unsigned long flags = irq_save();
    cpu_defer_ipi(true);
    timer_arm(&period, began + length);
    irq_restore(flags);
}

/* Sleep until a ring, a request, or the time of watch(). While the master is awake it takes a ring without an
 * interrupt. A ring only wakes a master that sleeps, so this checks for one once more with interrupts off. */
static void rest(void)
{
    bool any = false;
    irq_disable();
    for (unsigned i = 0; i < TURNS && !any && !remote_is_due(); i++) {
        cpu_give_way();
        any = cpu_take_ipi(); /* also with an arrival, when it would be an interrupt */
        if (READ_ONCE(arrivals)) {
            irq_enable();
            return;
        }
        any |= cpu_is_due() || !is_idle();
    }
    if (!any) {
        __atomic_store_n(&resting, true, __ATOMIC_RELAXED);
        mp_fence();
        if (is_idle())
            thread_block(TICKS_NEVER);
        __atomic_store_n(&resting, false, __ATOMIC_RELAXED);
    }
    irq_enable();
    sched_poll();
}

static void serve(void *arg)
{
    bool changed = true;
    peers_start();
    for (;;) {
        bool asked = taken(&again); /* before the arrivals, as who says it may have arrived just now */
        if (unlikely(asked)) {
            mp_fence();
            changed = true;
            if (taken(&watch_due)) {
                watch(&pending);
                WRITE_ONCE(rung, true);
            }
        }
        bool vainly = !READ_ONCE(arrivals), was_rung = taken(&rung);
        if (!vainly)
            /* before the messages, so that a message for a request that has just arrived is passed to it directly */
            changed |= serve_arrivals();
        if (was_rung || (changed && peers_held())) {
            changed |= peers_poll();
            if (was_rung && vainly && !peers_got())
                note_vain_ring();
        }
        if (changed)
            changed = serve_each(&pending) | (REMOTE_ALL && asked && serve_each(&queued));
        else
            rest();
    }
}

/* A ring wakes the master only on its own core and only if it sleeps. In all other cases no thread is woken: that needs
 * a lock, and a core that waits for a lock may ring itself (cpu_relax() on RISC-V). */
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
    timer_init(&period, take_rings_again, NULL);
    watch_init(watch_now);
    master = thread_create("master", MASTER, PRIO_MAX, serve, NULL, NULL, false);
    if (!master)
        panic("cluster: no memory for the master's thread");
    thread_start(master);
}
INIT_CALL(request_init);
