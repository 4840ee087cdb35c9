/* SPDX-License-Identifier: MIT */
/* request.c - the master's thread, and the requests that wait for it; see request.h. */
#include "request.h"

#include <core/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <core/sched.h>
#include <errors.h>
#include <hal/time.h>

#include "peer.h"
#include "policy.h"

#define MASTER 0         /* the core that serves */
#define VAIN   4         /* vain rings in a PERIOD, after which no more are taken until it ends */
#define PERIOD 100000ull /* ns */
#define TURNS  16 /* how often caller and master yield before they sleep, because a sleep and a wake-up cost more */

static struct request_words
    *arrivals; /* the last one to arrive; each links to the one before it; the master takes all at once */
static struct list pending = LIST_INIT(pending); /* used by the master only */
static struct list *following;                   /* the request that serve_pending() tries next */
static struct thread *master;
static bool rung = true; /* a cluster may have rung; written on the master's core only */
static bool again;       /* request_again() */
static u32 resting;      /* the master sleeps or is about to sleep */

/*
 * Before the master sleeps it sets `resting`, then checks for work once more. A core with work for it stores the work,
 * then reads `resting`. A caller sleeps only if it sets its request's state to REQUEST_ASLEEP before the master
 * finishes it, and the master wakes only callers in that state (tests/model/request.pml). So no wake-up is lost, and no
 * thread that is awake is woken.
 */
static inline void wake_master(void)
{
    if (__atomic_load_n(&resting, __ATOMIC_RELAXED))
        thread_wake(master);
}

/* Put a request into the list. Interrupts must be off, because the master waits between the two stores. */
static inline void arrive(struct request_words *w)
{
    w->earlier = w; /* a mark: not stored yet */
    policy_told(w);
    struct request_words *earlier = __atomic_exchange_n(&arrivals, w, __ATOMIC_SEQ_CST);
    __atomic_store_n(&w->earlier, earlier, __ATOMIC_RELEASE);
    policy_told(w);
}

static struct request_words *earlier_than(const struct request_words *w)
{
    for (;;) {
        policy_look(w);
        struct request_words *earlier = __atomic_load_n(&w->earlier, __ATOMIC_ACQUIRE);
        if (earlier != w)
            return earlier;
        cpu_relax();
    }
}

static inline u32 state_of(const struct request_words *w)
{
    policy_look(&w->state);
    return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

static u8 cancelled(const struct request_words *w)
{
    policy_look(w);
    return READ_ONCE(w->cancelled);
}

/* Wait for a short time, unless an interrupt is pending. Returns whether there is a result. Most calls are answered in
 * the first turn, which is in line. */
static __noinline bool answered_soon(const struct request_words *w)
{
    bool answered = false, due = false;
    for (unsigned i = 1; i < TURNS && !answered && !due; i++) {
        due = cpu_give_way();
        answered = state_of(w) != REQUEST_AWAITED;
    }
    return answered;
}

/* Pass a request to the master and wait for a short time. Returns whether there is a result. */
static inline bool answered(struct request_words *w)
{
    unsigned long flags = irq_save();
    bool answered = false;
    arrive(w);
    wake_master();
    if (likely(this_cpu()->id != MASTER)) {
        bool due = cpu_give_way();
        answered = state_of(w) != REQUEST_AWAITED;
        if (unlikely(!answered && !due))
            answered = answered_soon(w);
    }
    irq_restore(flags);
    return answered;
}

void request_again(void)
{
    __atomic_store_n(&again, true, __ATOMIC_SEQ_CST);
    mp_fence();
    wake_master();
}

static __noinline void sleep_until_left(struct request_words *w, bool to_end)
{
    const struct thread *self = thread_self();
    for (u32 state; (state = state_of(w)) != REQUEST_LEFT;) {
        if (state == REQUEST_DONE) {
            cpu_relax(); /* the master is about to finish with the request */
            continue;
        }
        u8 why = READ_ONCE(self->stop) ? REQUEST_ENDS : READ_ONCE(self->signal) ? REQUEST_CALLED : REQUEST_STAYS;
        if (why > w->cancelled && !to_end) {
            WRITE_ONCE(w->cancelled, why);
            policy_told(w);
            request_again();
        }
        thread_block(TICKS_NEVER);
    }
}

/* Returns false if the request has been finished meanwhile. */
static bool fall_asleep(struct request_words *w)
{
    u32 awake = REQUEST_AWAITED;
    policy_look(&w->state);
    bool asleep =
        __atomic_compare_exchange_n(&w->state, &awake, REQUEST_ASLEEP, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    policy_told(&w->state);
    return asleep;
}

s64 request_run(struct request *r)
{
    struct request_words w;
    bool to_end = r->to_end;
    r->words = &w;
    r->caller = thread_self();
    r->peer = REQUEST_NOBODY;
    w.request = r;
    w.cancelled = false;
    w.state = REQUEST_AWAITED;
    policy_told(&w.state);
    policy_leave(r);
    if (unlikely(!answered(&w)) && fall_asleep(&w))
        sleep_until_left(&w, to_end);
    policy_return(r);
    return r->result;
}

s64 request_pending(struct request *r, unsigned node)
{
    r->peer = (u8)node;
    return time_now() - r->since > time_from_ns(noc_patience()) ? -ETIMEDOUT : REQUEST_PENDING;
}

/* Store the result. The request is on the caller's stack, and the caller may end. A caller that is awake continues when
 * it sees REQUEST_DONE; one that sleeps waits for REQUEST_LEFT, after which the master accesses neither request nor
 * thread. */
static void finish(struct request *r, s64 result)
{
    struct thread *caller = r->caller;
    struct request_words *w = r->words;
    r->result = result;
    policy_finish(r);
    policy_look(&w->state);
    u32 was = __atomic_exchange_n(&w->state, REQUEST_DONE, __ATOMIC_ACQ_REL);
    policy_told(&w->state);
    if (was == REQUEST_AWAITED)
        return;
    thread_wake(caller);
    __atomic_store_n(&w->state, REQUEST_LEFT, __ATOMIC_RELEASE);
    policy_told(&w->state);
}

/* Serve all requests that have arrived, in their order. Returns whether one was finished; then others may be possible.
 */
static bool serve_arrivals(void)
{
    if (!__atomic_load_n(&arrivals, __ATOMIC_RELAXED))
        return false;
    struct request_words *w = __atomic_exchange_n(&arrivals, NULL, __ATOMIC_ACQUIRE), *earlier;
    struct list *first = NULL, *next;
    for (; w; w = earlier) {
        earlier = earlier_than(w);
        struct request *r = w->request;
        policy_take(r);
        r->link.next = first;
        first = &r->link;
    }
    bool any = false;
    for (; first; first = next) {
        struct request *r = list_entry(first, struct request, link);
        next = first->next;
        r->since = time_now();
        s64 result = r->serve(r);
        if (result == REQUEST_PENDING) {
            list_push_back(&pending, &r->link);
        } else {
            finish(r, result);
            any = true;
        }
    }
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

/* Try each pending request again, in order; there are at most as many as threads. Returns whether one was finished. */
static bool serve_pending(void)
{
    bool any = false;
    for (struct list *at = pending.next; at != &pending; at = following) {
        struct request *r = list_entry(at, struct request, link);
        following = at->next;
        u8 why = cancelled(r->words);
        s64 result = why ? cancel(r, why == REQUEST_ENDS) : r->serve(r);
        if (result == REQUEST_PENDING)
            continue;
        request_finish(r, result);
        any = true;
    }
    return any;
}

/* Ask each cluster for which a request has waited for half of noc_patience() whether it is alive. Returns when to check
 * again. */
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

/* Sleep until a ring, a request, or the time of watch(); returns true for the latter. While the master is awake it
 * takes a ring without an interrupt. A ring only wakes a master that sleeps, so this checks for one once more with
 * interrupts off.
 */
static bool rest(void)
{
    bool due = false, late = false;
    unsigned long flags = irq_save();
    for (unsigned i = 0; i < TURNS && !due; i++) {
        due = cpu_give_way();
        due |= cpu_take_ipi() || !is_idle();
    }
    if (!due) {
        __atomic_store_n(&resting, true, __ATOMIC_RELAXED);
        mp_fence();
        late = is_idle() && thread_block(watch());
        __atomic_store_n(&resting, false, __ATOMIC_RELAXED);
    }
    irq_restore(flags);
    sched_poll();
    return late;
}

static void serve(void *arg)
{
    bool changed = true;
    peers_start();
    for (;;) {
        bool vainly = !READ_ONCE(arrivals), was_rung = taken(&rung);
        changed |= serve_arrivals(); /* before the messages, so that a message for a request that has just arrived is
                                        passed to it directly */
        if (was_rung || (changed && peers_held())) {
            changed |= peers_poll();
            if (was_rung && vainly && !peers_got())
                note_vain_ring();
        }
        changed |= taken(&again);
        if (changed) {
            changed = serve_pending();
        } else if (rest()) {
            peers_poll();
            changed = true;
        }
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
    master = thread_create("master", MASTER, PRIO_MAX, serve, NULL, NULL, false);
    if (!master)
        panic("cluster: no memory for the master's thread");
    thread_start(master);
}
INIT_CALL(request_init);
