/* SPDX-License-Identifier: MIT */
/*
 * waiters.c - the list of a process's threads that wait at an address: that of a word (wait.c), or an odd one for a
 * tunnel's bell (ipc/process.c). `word` is that address while a thread is in the list. Whoever removes it sets `word`
 * to the result of the wait: 0, or an error, which is less than any address (USER_BASE).
 */
#include <core/sched.h>
#include <errors.h>
#include <hal/time.h>

#include "signal.h"
#include "waiters.h"

static ticks_t deadline_of(u64 ns) { return ns == ~0ull ? TICKS_NEVER : time_from_ns(ns); }

/* Remove the thread from the list and return `err`. If it has been removed already, return the result of its wait. */
static __cold __noinline int give_up(struct process_thread *t, int err)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (t->word < USER_BASE) {
        err = -(int)t->word;
    } else {
        list_remove(&t->link);
        t->word = 0;
    }
    spin_unlock_irqrestore(&p->lock, flags);
    return err;
}

s64 process_waiter_block(struct process_thread *t, u64 deadline_ns)
{
    u64 word;
    while ((word = READ_ONCE(t->word)) >= USER_BASE) {
        if (READ_ONCE(t->thread->stop))
            return give_up(t, -ECANCELED);
        if (process_signal_ends(t, word))
            return give_up(t, -EINTR);
        if (thread_block(deadline_of(deadline_ns)))
            return give_up(t, -ETIMEDOUT);
        user_forget(&t->user); /* its count of turns may come round in here: who wakes it chooses how often */
    }
    return -(s64)word;
}

__cold __noinline void process_waiter_end(struct process_thread *t, int error) { process_waiter_end_here(t, error); }

s64 process_waiters_wake(struct process *p, u64 word, u64 count)
{
    s64 woken = 0;
    struct list *next;
    for (struct list *at = p->waiters.next; at != &p->waiters && (u64)woken < count; at = next) {
        struct process_thread *t = list_entry(at, struct process_thread, link);
        next = at->next;
        if (t->word != word)
            continue;
        process_waiter_end_here(t, 0);
        woken++;
    }
    return woken;
}
