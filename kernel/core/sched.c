/* SPDX-License-Identifier: MIT */
/*
 * sched.c - chooses the next thread of this core.
 *
 * The running thread and the idle thread are in no queue. Invariant under s->lock: while `resched` is false, either the
 * running thread is of the active group and no ready thread of that group is more urgent, or the idle thread runs and
 * none is ready. So thread_yield(), the path that the paper measures and we count, can take the next equal without
 * reading the map: about 90 instructions with the switch, one reading of the counter (for run times), and no change of
 * the alarm unless a turn ends before it.
 */
#include <core/cpu.h>
#include <core/domain.h>
#include <core/log.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

#include "queue.h"

bool core_go;

_Static_assert(SCHED_DOMAINS == SYS_MAX_DOMAINS, "group_of[] has a place for every domain");

__cold __init_text void sched_group_init(struct sched *s, unsigned group)
{
    for (unsigned p = 0; p < PRIO_LEVELS; p++)
        list_init(&s->group[group].queue[p]);
    list_init(&s->group[group].timer_sets);
}

/* idle/NUMBER: what printf takes for it, a kernel of many cores does for each. */
static __init_text void name_idle(char *name, unsigned core)
{
    _Static_assert(MAX_CPUS <= 100, "a core has two digits");
    memcpy(name, "idle/", sizeof("idle/"));
    name += 5;
    if (core > 9)
        *name++ = (char)('0' + core / 10);
    *name = (char)('0' + core % 10);
}

__cold __init_text void sched_init(struct cpu *c)
{
    struct sched *s = &c->sched;
    struct thread *idle = &c->idle;
    sched_group_init(s, 0);
    list_init(&c->timers);
    c->alarm = TICKS_NEVER;
    s->active = &s->group[0];
    s->slice = time_from_ns(SCHED_SLICE_NS);
    s->slice_end = TICKS_NEVER;
    s->frame.current_end = TICKS_NEVER;
    idle->state = THREAD_RUNNING;
    idle->cpu = (u16)c->id;
    idle->rq = s->active;
    idle->run_total = -time_now();
    name_idle(idle->name, c->id);
    s->idle = s->running = idle;
}

static bool fpu_due(const struct sched *s, const struct thread *next) { return next->fpu && s->fpu != next->fpu; }

/*
 * Switch to a thread that needs its extended state loaded. The registers keep the last owner's state until then. This
 * and the next function are out of line, so that the plain switch keeps less in registers; their arguments are where
 * context_switch() wants them.
 */
static __attribute__((noinline)) void context_switch_fpu(struct thread *prev, struct thread *next, struct cpu *c)
{
    struct sched *s = &c->sched;
    fpu_switch(s->fpu, next->fpu);
    s->fpu = next->fpu;
    context_switch(&prev->ctx, &next->ctx);
}

/* Switch, and also set the alarm, trace, or load extended state. */
static __cold __attribute__((noinline)) void context_switch_and(struct thread *prev, struct thread *next, struct cpu *c)
{
    struct sched *s = &c->sched;
    alarm_before(c, s->slice_end);
    trace(TRACE_SWITCH, (u64)(uintptr_t)next, next->domain ? next->domain->id : ~0ull);
    if (fpu_due(s, next))
        context_switch_fpu(prev, next, c);
    else
        context_switch(&prev->ctx, &next->ctx);
}

/*
 * Switch from `prev`, which is in its new queue already, to `next`. `peers`: an equal of `next` is ready. Interrupts
 * are off, s->lock is held; the thread that runs next releases it, here or in thread_begin().
 */
static inline __attribute__((always_inline)) void switch_threads(struct cpu *c, struct thread *prev,
                                                                 struct thread *next, bool peers)
{
    struct sched *s = &c->sched;
    ticks_t now = time_now();
    prev->run_total += now;
    next->run_total -= now;
    next->turns += 2;
    next->state = THREAD_RUNNING;
    s->running = next;
    s->slice_end = peers ? now + s->slice : TICKS_NEVER;
    if (unlikely(s->slice_end < c->alarm || READ_ONCE(trace_on)))
        context_switch_and(prev, next, c);
    else if (fpu_due(s, next))
        context_switch_fpu(prev, next, c);
    else
        context_switch(&prev->ctx, &next->ctx);
    spin_unlock(&s->lock);
}

/* Switch to the most urgent thread of the active group; locks as in switch_threads(). */
static void switch_from(struct cpu *c, struct thread *prev)
{
    struct sched *s = &c->sched;
    bool peers = false;
    struct thread *next = rq_pick(s->active, s->idle, &peers);
    s->resched = false;
    if (likely(next != prev)) {
        switch_threads(c, prev, next, peers);
    } else {
        next->state = THREAD_RUNNING;
        if (slice_kind(s->slice_end) == KIND_OVER)
            s->slice_end = TICKS_NEVER;
        spin_unlock(&s->lock);
    }
}

static __cold __attribute__((noinline)) void yield_to_best(struct cpu *c, struct thread *t)
{
    t->state = THREAD_READY;
    rq_push_back(t->rq, t);
    switch_from(c, t);
}

void thread_yield(void)
{
    unsigned long flags = irq_save();
    struct cpu *c = this_cpu_here();
    struct sched *s = &c->sched;
    struct thread *t = s->running;
    spin_lock_here(&s->lock);
    struct list *head = &t->rq->queue[t->prio], *first = head->next;
    if (unlikely(s->resched)) {
        yield_to_best(c, t);
    } else if (first != head) {
        /* Remove the first thread and append t. The queue is not empty before or after, so the map stays. */
        struct list *second = first->next;
        second->prev = head;
        head->next = second;
        list_push_back(head, &t->link);
        t->state = THREAD_READY;
        switch_threads(c, t, list_entry(first, struct thread, link), true);
    } else {
        spin_unlock(&s->lock);
    }
    irq_restore(flags);
}

/*
 * An interrupt takes the core from the running thread while an equal waits: for a more urgent thread, or at the end of
 * a window. It stays the first of its equals, and gets a whole turn when it goes on, so that no switch need look at
 * what was left. What it had is summed up here, where a turn is cut short, and as much as a turn is one: it goes behind
 * its equals. Else these would never come where turns are cut short more often than they end. What is more than a turn
 * is kept, so that in the long run equals have the same time, whatever the interrupts' times are; but it owes a turn at
 * most, however late an interrupt was. If a core whose clock is ahead of this one's has set the turn's end, it may not
 * even have begun: then the thread had none of it. Returns whether it stays the first. A turn fits into 31 bits.
 */
static __cold __noinline bool turn_goes_on(struct sched *s)
{
    struct thread *t = s->running;
    ticks_t now = time_now();
    u32 turn = (u32)s->slice;
    s32 of_this = (s32)(turn - (u32)(s->slice_end - now));
    u32 had = t->had + (u32)MAX(of_this, 0);
    bool goes_on = had < turn;
    t->had = goes_on ? had : MIN(had - turn, turn);
    s->slice_end = goes_on ? now + turn : SLICE_OVER;
    return goes_on;
}

void schedule(void)
{
    struct cpu *c = this_cpu();
    struct sched *s = &c->sched;
    struct thread *t = s->running;
    spin_lock(&s->lock);
    if (t != s->idle && t->state == THREAD_RUNNING) {
        t->state = THREAD_READY;
        unsigned long kind = slice_kind(s->slice_end);
        if (kind == KIND_OVER || (kind < KIND_OVER && !turn_goes_on(s)))
            rq_push_back_here(t->rq, t);
        else
            rq_push_front(t->rq, t);
    }
    switch_from(c, t);
}

void sched_poll(void)
{
    if (!READ_ONCE(this_cpu()->sched.resched))
        return;
    unsigned long flags = irq_save();
    schedule();
    irq_restore(flags);
}

int thread_block(ticks_t deadline)
{
    unsigned long flags = irq_save();
    struct cpu *c = this_cpu_here();
    struct sched *s = &c->sched;
    struct thread *t = s->running;
    /* The timer is armed before the run-queue lock is taken (lock order). It cannot fire before this thread is off
     * the core. */
    if (deadline != TICKS_NEVER)
        timer_arm(&t->timer, deadline);
    spin_lock_here(&s->lock);
    t->timed_out = false;
    if (t->wakeup) {
        t->wakeup = false;
        spin_unlock(&s->lock);
    } else {
        t->state = THREAD_BLOCKED;
        switch_from(c, t);
    }
    if (deadline != TICKS_NEVER)
        timer_cancel(&t->timer);
    irq_restore(flags);
    return t->timed_out ? -ETIMEDOUT : 0;
}

__noinline void thread_block_here(void)
{
    struct cpu *c = this_cpu_here();
    struct sched *s = &c->sched;
    struct thread *t = s->running;
    spin_lock_here(&s->lock);
    if (unlikely(t->wakeup)) {
        t->wakeup = false;
        spin_unlock(&s->lock);
        return;
    }
    t->state = THREAD_BLOCKED;
    s->resched = false;
    bool peers = false;
    struct thread *next = rq_pick(s->active, s->idle, &peers);
    switch_threads(c, t, next, peers);
}

__cold void thread_leave(void)
{
    struct cpu *c = this_cpu();
    struct sched *s = &c->sched;
    spin_lock(&s->lock);
    struct thread *t = s->running;
    t->state = THREAD_DEAD;
    if (s->fpu == t->fpu)
        s->fpu = NULL;
    switch_from(c, t);
    __builtin_unreachable(); /* no core switches to a dead thread */
}

__cold void thread_begin(void *arg)
{
    struct thread *t = arg;
    spin_unlock(&cpu_of(t->cpu)->sched.lock);
    irq_enable();
    t->entry(t->arg);
    thread_exit();
}
