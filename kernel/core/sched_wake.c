/* SPDX-License-Identifier: MIT */
/*
 * sched_wake.c - events that make a core choose again: a thread becomes ready, a priority changes, a slice ends.
 *
 * They keep the invariant of sched.c: any core that makes a thread ready that is more urgent than the running one sets
 * `resched`, under s->lock.
 */
#include <core/awake.h>
#include <core/cpu.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/cpu.h>

#include "queue.h"

/* What a core has to do because a thread has become ready. */
enum { NOTHING, SET_ALARM, SWITCH };

__optional bool core_wakes(struct cpu *c) { return false; }

/* An equal of the running thread of core `c` is ready, so let the running thread's slice end. Another core's alarm is
 * its own matter to look at. */
static inline int begin_slice(struct cpu *c)
{
    struct sched *s = &c->sched;
    if (s->slice_end != TICKS_NEVER)
        return NOTHING;
    s->slice_end = time_now() + s->slice;
    return c == this_cpu_here() && s->slice_end >= c->alarm ? NOTHING : SET_ALARM;
}

/* Thread `t` of core `c` has become ready. Returns what the core has to do. Its run-queue lock is held. */
static inline int note_ready(struct cpu *c, const struct thread *t)
{
    struct sched *s = &c->sched;
    const struct thread *running = s->running;
    if (unlikely(t->rq != s->active) && !core_wakes(c))
        return NOTHING;
    if (running == s->idle || t->prio > running->prio) {
        s->resched = true;
        return SWITCH;
    }
    return t->prio == running->prio ? begin_slice(c) : NOTHING;
}

/* Let core `c` do what it has to; then interrupts are as `flags` says. */
static __noinline void sched_notify(struct cpu *c, int todo, unsigned long flags)
{
    if (c != this_cpu())
        hal_ipi_resched(c->id);
    else
        alarm_before(c, u64_peek_here(&c->sched.slice_end, &c->sched.lock));
    irq_restore(flags);
    if (todo == SWITCH && irq_enabled())
        sched_poll();
}

/* Release the run-queue lock of core `c`, and let the core do what it has to. */
static inline void unlock_and_notify(struct cpu *c, int todo, unsigned long flags)
{
    spin_unlock(&c->sched.lock);
    if (todo == NOTHING)
        irq_restore(flags);
    else
        sched_notify(c, todo, flags);
}

/*
 * Make thread *at, one of core `c`, ready if it is blocked; otherwise remember the wake-up, so that its next block
 * returns at once. `state` and `wakeup` change only under the lock of the thread's core, so a wake-up is either seen by
 * the block or finds the thread blocked: none is lost (tests/model/wakeup.pml).
 */
static __noinline void make_ready(struct cpu *c, struct thread *const *at, bool timed_out)
{
    struct sched *s = &c->sched;
    unsigned long flags = irq_save();
    spin_lock_here(&s->lock);
    struct thread *t = READ_ONCE(*at);
    int todo = NOTHING;
    if (t) {
        trace(TRACE_WAKE, (u64)(uintptr_t)t, c->id);
        if (t->state == THREAD_BLOCKED) {
            t->state = THREAD_READY;
            t->timed_out = timed_out;
            rq_push_back(t->rq, t);
            todo = note_ready(c, t);
        } else {
            t->wakeup |= !timed_out;
        }
    }
    unlock_and_notify(c, todo, flags);
}

/* make_ready() for a thread that is there, with interrupts off. */
void thread_wake_here(struct thread *t)
{
    struct cpu *c = cpu_of(t->cpu);
    struct sched *s = &c->sched;
    int todo = NOTHING;
    spin_lock_here(&s->lock);
    trace(TRACE_WAKE, (u64)(uintptr_t)t, c->id);
    if (likely(t->state == THREAD_BLOCKED)) {
        t->state = THREAD_READY;
        t->timed_out = false;
        rq_push_back_here(t->rq, t);
        todo = note_ready(c, t);
    } else {
        t->wakeup = true;
    }
    spin_unlock(&s->lock);
    if (todo == SET_ALARM || (todo == SWITCH && c != this_cpu_here()))
        sched_notify(c, todo, 0); /* a switch on this core is made when interrupts are on again */
}

void thread_wake_at(struct thread *const *at, unsigned cpu) { make_ready(cpu_of(cpu), at, false); }
__noinline void thread_wake(struct thread *t) { make_ready(cpu_of(t->cpu), &t, false); }
void thread_start(struct thread *t) { thread_wake(t); }

__cold void thread_timeout(void *arg)
{
    struct thread *t = arg;
    make_ready(cpu_of(t->cpu), &t, true);
}

__cold struct thread *thread_take(struct thread **at, unsigned cpu)
{
    unsigned long flags = spin_lock_irqsave(&cpu_of(cpu)->sched.lock);
    struct thread *t = *at;
    *at = NULL;
    spin_unlock_irqrestore(&cpu_of(cpu)->sched.lock, flags);
    return t;
}

__cold int thread_set_prio(struct thread *t, unsigned prio)
{
    if (prio >= PRIO_LEVELS)
        return -ERANGE;
    struct cpu *c = cpu_of(t->cpu);
    struct sched *s = &c->sched;
    unsigned long flags = spin_lock_irqsave(&s->lock);
    prio = MAX(prio, t->least);
    if (t->state == THREAD_READY) {
        rq_remove(t->rq, t);
        t->prio = (u8)prio;
        rq_push_back(t->rq, t);
    } else {
        t->prio = (u8)prio;
    }
    if (t->rq != s->active) { /* it cannot run, so its core has nothing to find out */
        spin_unlock_irqrestore(&s->lock, flags);
        return 0;
    }
    s->resched = true; /* the core finds out who is the most urgent now, and whether it has an equal */
    begin_slice(c);
    unlock_and_notify(c, SWITCH, flags);
    return 0;
}

__cold void sched_tick(struct cpu *c, ticks_t now)
{
    struct sched *s = &c->sched;
    spin_lock(&s->lock);
    if (now >= s->slice_end) {
        if (s->running->rq->map & 1u << s->running->prio) {
            s->slice_end = SLICE_OVER;
            s->resched = true;
        } else {
            s->slice_end = TICKS_NEVER;
        }
    }
    spin_unlock(&s->lock);
}
