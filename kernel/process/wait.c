/* SPDX-License-Identifier: MIT */
/*
 * wait.c - a thread sleeps while a word has a value; another one changes the word and wakes it.
 *
 * The word is read under the lock that wake() takes, so that no wake-up between reading and sleeping is lost
 * (tests/model/process_wait.pml). A thread that is in the list has `word` set; whoever takes it out clears that.
 */
#include <core/sched.h>
#include <errors.h>
#include <hal/time.h>

#include "process.h"

static ticks_t deadline_of(u64 ns) { return ns == ~0ull ? TICKS_NEVER : time_from_ns(ns); }

/* Into the list, if the word is what the caller believes. */
static int enlist(struct process_thread *t, u64 word, u32 expected)
{
    struct process *p = t->process;
    u32 value;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    int err = process_read(t, &value, word, sizeof(value));
    if (!err && value != expected)
        err = -EAGAIN;
    if (!err) {
        t->word = word;
        list_push_back(&p->waiters, &t->link);
    }
    spin_unlock_irqrestore(&p->lock, flags);
    return err;
}

/* Out of it, unless somebody was faster: then 0. */
static int give_up(struct process_thread *t, int err)
{
    struct process *p = t->process;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    if (!t->word)
        err = 0;
    else
        list_remove(&t->link);
    t->word = 0;
    spin_unlock_irqrestore(&p->lock, flags);
    return err;
}

s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns)
{
    if (word % sizeof(u32))
        return -EINVAL;
    int err = enlist(t, word, expected);
    if (err)
        return err;
    while (READ_ONCE(t->word)) {
        if (READ_ONCE(t->thread->stop))
            return give_up(t, -ECANCELED);
        if (thread_block(deadline_of(deadline_ns)))
            return give_up(t, -ETIMEDOUT);
    }
    return 0;
}

s64 process_wake(struct process *p, u64 word, u64 count)
{
    s64 woken = 0;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    struct list *next;
    for (struct list *at = p->waiters.next; at != &p->waiters && (u64)woken < count; at = next) {
        struct process_thread *t = list_entry(at, struct process_thread, link);
        next = at->next;
        if (t->word != word)
            continue;
        list_remove(at);
        WRITE_ONCE(t->word, 0);
        thread_wake(t->thread);
        woken++;
    }
    spin_unlock_irqrestore(&p->lock, flags);
    sched_poll();
    return woken;
}
