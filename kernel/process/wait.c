/* SPDX-License-Identifier: MIT */
/*
 * wait.c - a thread sleeps while a word has a value; another one changes the word and wakes it.
 *
 * The word is read under the lock that wake() takes, so that no wake-up between reading and sleeping is lost
 * (tests/model/process_wait.pml).
 *
 * A word in a tunnel has the same address in both processes. Who wakes takes the lock of each of them, one after the
 * other: for whoever waits only the one of its own process counts.
 */
#include <core/sched.h>
#include <errors.h>

#include "process.h"

/* Into the list, if the word is what the caller believes. */
static int enlist_if(struct process_thread *t, u64 word, u32 expected)
{
    struct process *p = t->process;
    u32 value;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    int err = process_read(t, &value, word, sizeof(value));
    if (!err && value != expected)
        err = -EAGAIN;
    if (!err)
        process_enlist(t, word);
    spin_unlock_irqrestore(&p->lock, flags);
    return err;
}

__noinline s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns)
{
    if (word % sizeof(u32))
        return -EINVAL;
    int err = enlist_if(t, word, expected);
    return err ? err : process_sleep(t, deadline_ns);
}

__optional s64 process_wake_peer(struct process *p, u64 word, u64 count) { return 0; }

s64 process_wake(struct process *p, u64 word, u64 count)
{
    if (word % sizeof(u32)) /* nobody waits there; a bell is no word */
        return 0;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    s64 woken = process_wake_some(p, word, count);
    spin_unlock_irqrestore(&p->lock, flags);
    if (word >= PROCESS_TUNNELS)
        woken += process_wake_peer(p, word, count - (u64)woken);
    sched_poll();
    return woken;
}
