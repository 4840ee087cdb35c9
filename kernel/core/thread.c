/* SPDX-License-Identifier: MIT */
/*
 * thread.c - creates and frees threads. The record and the extended state have whole pages of their own; the stack has
 * a guard page below it (hal/context.h).
 */
#include <core/cpu.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <string.h>

#include "queue.h"

static struct spinlock all_lock;
static struct list all_threads = LIST_INIT(all_threads);

struct thread *thread_self(void)
{
    return this_cpu()->sched.running; /* even if preempted in between, as threads never change their core */
}

#define FPU_OFFSET ALIGN_UP(sizeof(struct thread) + sizeof(struct fpu), (size_t)64)

/* The same for each thread: with the extended state it is one page on most machines. */
static __noinline u64 record_pages(void) { return ALIGN_UP(FPU_OFFSET + fpu_state_size(), PAGE_SIZE) / PAGE_SIZE; }

struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu)
{
    if (cpu >= n_cpus || !cpus[cpu] || prio >= PRIO_LEVELS)
        return NULL;
    struct thread *t = pages_alloc(record_pages());
    if (!t)
        return NULL;
    t->stack = hal_stack_alloc();
    if (!t->stack) {
        frames_free(virt_to_phys(t), record_pages());
        return NULL;
    }
    if (fpu) {
        t->fpu = (struct fpu *)(t + 1);
        fpu_state_init(t->fpu, (char *)t + FPU_OFFSET);
    }
    struct sched *s = &cpu_of(cpu)->sched;
    strlcpy(t->name, name, sizeof(t->name));
    t->cpu = (u16)cpu;
    t->prio = (u8)prio;
    t->group = d ? s->group_of[d->id] : 0;
    t->rq = &s->group[t->group];
    t->state = THREAD_BLOCKED;
    t->turns = 1;
    t->domain = d;
    t->entry = entry;
    t->arg = arg;
    timer_init(&t->timer, thread_timeout, t);
    context_init(&t->ctx, (char *)t->stack + HAL_STACK_SIZE, thread_begin, t);
    unsigned long flags = spin_lock_irqsave(&all_lock);
    list_push_back(&all_threads, &t->all);
    spin_unlock_irqrestore(&all_lock, flags);
    return t;
}

void thread_discard(struct thread *t)
{
    unsigned long flags = spin_lock_irqsave(&all_lock);
    list_remove(&t->all);
    spin_unlock_irqrestore(&all_lock, flags);
    hal_stack_free(t->stack);
    frames_clean(virt_to_phys(t), record_pages()); /* overwritten, because the extended state holds a domain's data */
}

/* Return the first dead thread of a core, or NULL. Ask all others to end, and count them in *alive. */
static struct thread *dead_thread(unsigned cpu, unsigned *alive)
{
    struct thread *dead = NULL;
    *alive = 0;
    unsigned long flags = spin_lock_irqsave(&all_lock);
    for (struct list *pos = all_threads.next; pos != &all_threads; pos = pos->next) {
        struct thread *t = list_entry(pos, struct thread, all);
        if (t->cpu != cpu)
            continue;
        if (t->state == THREAD_DEAD) {
            dead = t;
        } else {
            ++*alive;
            if (!t->stop) {
                t->stop = true;
                thread_wake(t);
            }
        }
    }
    spin_unlock_irqrestore(&all_lock, flags);
    return dead;
}

bool threads_end(unsigned cpu)
{
    unsigned alive;
    struct thread *t;
    while ((t = dead_thread(cpu, &alive)) != NULL)
        thread_discard(t);
    return !alive;
}

/*
 * The joiner is woken before the last switch, because no lock may be held when a thread on another core is woken.
 * `ended` tells it that the state is DEAD (the stack is no longer used) a few instructions later.
 */
void thread_exit(void)
{
    irq_disable();
    struct sched *s = &this_cpu()->sched;
    spin_lock(&s->lock);
    s->running->ended = true;
    struct thread *joiner = s->running->joiner;
    spin_unlock(&s->lock);
    if (joiner)
        thread_wake(joiner);
    thread_leave();
}

void thread_join(struct thread *t)
{
    struct spinlock *lock = &cpu_of(t->cpu)->sched.lock;
    thread_hurry(t, thread_self()->prio);
    for (;;) {
        unsigned long flags = spin_lock_irqsave(lock);
        bool dead = t->state == THREAD_DEAD, ended = t->ended;
        t->joiner = this_cpu()->sched.running;
        spin_unlock_irqrestore(lock, flags);
        if (dead)
            break;
        if (ended)
            cpu_relax(); /* it is on another core, a few instructions before its last switch */
        else
            thread_block(TICKS_NEVER);
    }
    thread_discard(t);
}

void thread_sleep_ns(u64 ns)
{
    ticks_t deadline = time_after(ns);
    struct thread *self = thread_self();
    while (!READ_ONCE(self->stop) && thread_block(deadline) != -ETIMEDOUT)
        ;
}

/* With the lock. Move a walk's place behind the next thread. Returns that thread; NULL: there is none, and the place
 * has left the list. */
static struct thread *next_thread(struct thread *place)
{
    struct list *next = place->all.next ? place->all.next : all_threads.next;
    if (place->all.next)
        list_remove(&place->all);
    while (next != &all_threads && list_entry(next, struct thread, all)->state == THREAD_PLACE)
        next = next->next;
    place->all.next = NULL;
    if (next == &all_threads)
        return NULL;
    list_insert(&place->all, next, next->next);
    return list_entry(next, struct thread, all);
}

void threads_set_prio(const struct domain *d, unsigned prio)
{
    struct thread place, *t;
    thread_walk(&place);
    do {
        unsigned long flags = spin_lock_irqsave(&all_lock);
        t = next_thread(&place);
        if (t && t->domain == d && t->state != THREAD_DEAD)
            thread_set_prio(t, prio);
        spin_unlock_irqrestore(&all_lock, flags);
    } while (t);
    sched_poll();
}

bool thread_next(struct thread *place, struct thread *copy)
{
    unsigned long flags = spin_lock_irqsave(&all_lock);
    const struct thread *t = next_thread(place);
    if (t) {
        *copy = *t;
        copy->run_total = u64_peek_here(&t->run_total, &cpu_of(t->cpu)->sched.lock);
    }
    spin_unlock_irqrestore(&all_lock, flags);
    return t;
}
