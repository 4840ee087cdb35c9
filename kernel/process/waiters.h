/* SPDX-License-Identifier: MIT */
/*
 * waiters.h - the list of waiters in line, for the shortest paths (wait.c, ipc/process.c; what it is: waiters.c).
 * Interrupts are off, and on again only while the thread sleeps. Where calls that block are not settled on the way in
 * (USER_FAST_MAY_BLOCK), their way is longer anyway, and all this is out of line.
 */
#ifndef AMALGAM_PROCESS_WAITERS_H
#define AMALGAM_PROCESS_WAITERS_H

#include <core/cpu.h>
#include <core/sched.h>

#include "process.h"

/* The calls wait and wake (wait.c). Interrupts are off, and on again only while the thread sleeps. */
s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns);
s64 process_wake(struct process *p, u64 word, u64 count);
/* Waiters (waiters.c). Add the calling thread to the list; under the lock. */
static inline void process_waiter_add(struct process_thread *t, u64 word)
{
    t->word = word;
    list_push_back(&t->process->waiters, &t->link);
}
/* Then, without the lock, sleep until the thread is removed from the list. Returns 0: by a wake-up; the error that
 * process_waiter_end() was given; -ETIMEDOUT; -ECANCELED: the thread has to end. */
s64 process_waiter_block(struct process_thread *t, u64 deadline_ns);
/* Remove up to `count` waiters on `word` from the list and wake them; under the lock. Returns their number. The caller
 * calls sched_poll() after it has released the lock. */
s64 process_waiters_wake(struct process *p, u64 word, u64 count);
/* End the wait of thread `t`, which waits, with `error` (> 0; 0: as a wake-up); under the lock. The same for the
 * caller. */
void process_waiter_end(struct process_thread *t, int error);

/* Threads that wait at a word are about to be woken: a wait for which the master is asked (wait.c) sees it. Under the
 * lock. */
static inline void process_count_wake(struct process *p)
{
#if REMOTE_ALL
    __atomic_store_n(&p->wakes, p->wakes + 1, __ATOMIC_RELEASE);
#endif
}

#define WAITERS_HERE (USER_FAST_MAY_BLOCK == 1)

/* process_waiter_block(). The usual wait has no deadline and ends by a wake-up. A thread that has to end, or that was
 * removed from the list before it sleeps, has a wake-up remembered, so it is back at once. */
static inline s64 process_waiter_block_here(struct process_thread *t, u64 deadline_ns)
{
    if (WAITERS_HERE && deadline_ns == ~0ull) {
        thread_block_here();
        u64 word = READ_ONCE(t->word);
        if (likely(word < USER_BASE))
            return -(s64)word;
    }
    return process_waiter_block(t, deadline_ns);
}

/* thread_wake() with interrupts off */
static inline void process_thread_wake(struct thread *t)
{
    if (WAITERS_HERE)
        thread_wake_here(t);
    else
        thread_wake(t);
}

/* A kernel thread without work sleeps until it is woken. Interrupts on. */
static inline void process_thread_sleep(void)
{
    if (!WAITERS_HERE) {
        thread_block(TICKS_NEVER);
        return;
    }
    irq_disable();
    thread_block_here();
    irq_enable();
}

/* process_waiter_end() with interrupts off */
static inline void process_waiter_end_here(struct process_thread *t, int error)
{
    t->link.prev->next = t->link.next;
    t->link.next->prev = t->link.prev;
    WRITE_ONCE(t->word, (u64)error);
    process_thread_wake(t->thread);
}

/* Returns the first waiter on `word`, or NULL; under the lock. */
static inline struct process_thread *process_waiter_at(const struct process *p, u64 word)
{
    for (struct list *at = p->waiters.next; at != &p->waiters; at = at->next) {
        struct process_thread *t = list_entry(at, struct process_thread, link);
        if (t->word == word)
            return t;
    }
    return NULL;
}

/* process_waiters_wake(), for which one waiter is usual */
static inline s64 process_waiters_wake_here(struct process *p, u64 word, u64 count)
{
    if (!WAITERS_HERE)
        return process_waiters_wake(p, word, count);
    struct process_thread *first = process_waiter_at(p, word);
    if (!first || !count)
        return 0;
    process_waiter_end_here(first, 0);
    return likely(count == 1) ? 1 : 1 + process_waiters_wake(p, word, count - 1);
}

/* sched_poll() where a switch is seldom due */
static inline void process_poll(void)
{
    if (!WAITERS_HERE || unlikely(READ_ONCE(this_cpu_here()->sched.resched)))
        sched_poll();
}

#endif
