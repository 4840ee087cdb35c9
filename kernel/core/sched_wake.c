/* SPDX-License-Identifier: MIT */
/*
 * sched_wake.c - what makes a core look again: a thread that becomes ready, another
 * priority, the end of a slice.
 *
 * All of it keeps the invariant of sched.c: `resched` is set under s->lock by whoever
 * makes a thread ready that is more urgent than the running one, on any core.
 */
#include <core/cpu.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/cpu.h>

#include "queue.h"

/* An equal of the running thread waits: its turn ends. True if that is news and the alarm must know. */
static bool begin_slice(struct sched *s)
{
    if (s->slice_end != TICKS_NEVER)
        return false;
    s->slice_end = time_now() + s->slice;
    return true;
}

/* The queue of `t` just got longer: does its core have to act? s->lock held. */
static bool must_look(struct sched *s, const struct thread *t)
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

/* Release the run-queue lock of core `c` and let it see what must_look() found: a switch or the end of a slice. */
static void unlock_and_tell(struct cpu *c, bool look, unsigned long flags)
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
 * Make the thread at `at`, one of core `c`, ready if it is blocked; otherwise remember it (a block that comes will not
 * sleep). Because state and wakeup change only under the lock of its core, a wake-up is either seen by the block or
 * finds it blocked: none is lost (tests/model/wakeup.pml).
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
            look = must_look(s, t);
        } else {
            t->wakeup |= !timed_out;
        }
    }
    unlock_and_tell(c, look, flags);
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
        look = must_look(s, t);
    } else {
        t->prio = (u8)prio;
        look = false;
        unsigned best = t == s->running && s->active->map ? bit_msb32(s->active->map) : 0;
        if (best > prio)
            s->resched = look = true;
        else if (best == prio && s->active->map & 1u << prio)
            look = begin_slice(s);
    }
    unlock_and_tell(c, look, flags);
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
