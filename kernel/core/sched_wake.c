/* SPDX-License-Identifier: MIT */
/*
 * sched_wake.c - events that make a core choose again: a thread becomes ready, a priority changes, a slice ends.
 *
 * They keep the invariant of sched.c: any core that makes a thread ready that is more urgent than the running one sets
 * `resched`, under s->lock.
 */
#include <core/cpu.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/cpu.h>

#include "queue.h"

/* An equal of the running thread is ready, so let the running thread's slice end. Returns true if the end is new and
 * the alarm must be set. */
static bool begin_slice(struct sched *s)
{
    if (s->slice_end != TICKS_NEVER)
        return false;
    s->slice_end = time_now() + s->slice;
    return true;
}

/* Thread `t` has become ready. Returns true if its core has to switch or to set its alarm. s->lock is held. */
static bool note_ready(struct sched *s, const struct thread *t)
{
    const struct thread *running = s->running;
    if (t->rq != s->active)
        return false;
    if (running == s->idle || t->prio > running->prio) {
        s->resched = true;
        return true;
    }
    return t->prio == running->prio && begin_slice(s);
}

/* Release the run-queue lock of core `c`. If `look`, make the core act on `resched` or on the slice's end. */
static void unlock_and_notify(struct cpu *c, bool look, unsigned long flags)
{
    spin_unlock(&c->sched.lock);
    if (look && c != this_cpu())
        hal_ipi_resched(c->id);
    else if (look)
        alarm_before(c, u64_peek(&c->sched.slice_end, &c->sched.lock));
    irq_restore(flags);
    if (look && irq_enabled())
        sched_poll();
}

/*
 * Make thread *at, one of core `c`, ready if it is blocked; otherwise remember the wake-up, so that its next block
 * returns at once. `state` and `wakeup` change only under the lock of the thread's core, so a wake-up is either seen by
 * the block or finds the thread blocked: none is lost (tests/model/wakeup.pml).
 */
static void make_ready(struct cpu *c, struct thread *const *at, bool timed_out)
{
    struct sched *s = &c->sched;
    unsigned long flags = spin_lock_irqsave(&s->lock);
    struct thread *t = READ_ONCE(*at);
    bool look = false;
    if (t) {
        trace(TRACE_WAKE, (u64)(uintptr_t)t, c->id);
        if (t->state == THREAD_BLOCKED) {
            t->state = THREAD_READY;
            t->timed_out = timed_out;
            rq_push_back(t->rq, t);
            look = note_ready(s, t);
        } else {
            t->wakeup |= !timed_out;
        }
    }
    unlock_and_notify(c, look, flags);
}

void thread_wake_at(struct thread *const *at, unsigned cpu) { make_ready(cpus[cpu], at, false); }
__noinline void thread_wake(struct thread *t) { thread_wake_at(&t, t->cpu); }
void thread_start(struct thread *t) { thread_wake(t); }

void thread_timeout(void *arg)
{
    struct thread *t = arg;
    make_ready(cpus[t->cpu], &t, true);
}

__cold struct thread *thread_take(struct thread **at, unsigned cpu)
{
    unsigned long flags = spin_lock_irqsave(&cpus[cpu]->sched.lock);
    struct thread *t = *at;
    *at = NULL;
    spin_unlock_irqrestore(&cpus[cpu]->sched.lock, flags);
    return t;
}

__cold int thread_set_prio(struct thread *t, unsigned prio)
{
    if (prio >= PRIO_LEVELS)
        return -ERANGE;
    struct cpu *c = cpus[t->cpu];
    struct sched *s = &c->sched;
    unsigned long flags = spin_lock_irqsave(&s->lock);
    bool look;
    if (t->state == THREAD_READY) {
        rq_remove(t->rq, t);
        t->prio = (u8)prio;
        rq_push_back(t->rq, t);
        look = note_ready(s, t);
    } else {
        t->prio = (u8)prio;
        look = false;
        unsigned best = t == s->running && s->active->map ? bit_msb32(s->active->map) : 0;
        if (best > prio)
            s->resched = look = true;
        else if (best == prio && s->active->map & 1u << prio)
            look = begin_slice(s);
    }
    unlock_and_notify(c, look, flags);
    return 0;
}

__cold void sched_tick(struct cpu *c, ticks_t now)
{
    struct sched *s = &c->sched;
    spin_lock(&s->lock);
    if (now >= s->slice_end) {
        s->slice_end = TICKS_NEVER;
        if (s->active->map & 1u << s->running->prio)
            s->resched = s->slice_over = true;
    }
    spin_unlock(&s->lock);
}
