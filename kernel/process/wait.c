/* SPDX-License-Identifier: MIT */
/*
 * wait.c - the calls wait and wake: a thread sleeps while a word has an expected value, until another thread changes
 * the word and wakes it.
 *
 * wait() reads the word under the lock that wake() takes. So no wake-up between reading and sleeping is lost
 * (tests/model/process_wait.pml).
 *
 * A word in a tunnel has the same address in both processes. wake() takes the lock of its own process, then that of the
 * peer. That is enough because a waiter is only in the list of its own process.
 */
#include <core/sched.h>
#include <errors.h>

#include "process.h"

/* Add the thread to the waiters if the word has the expected value. Returns 0 or an error of the call. */
static int add_if_equal(struct process_thread *t, u64 word, u32 expected)
{
    struct process *p = t->process;
    u32 value;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    int err = process_read(t, &value, word, sizeof(value));
    if (!err && value != expected)
        err = -EAGAIN;
    if (!err && word >= PROCESS_TUNNELS)
        err = (int)process_tunnel_check(t, word);
    if (!err)
        process_waiter_add(t, word);
    spin_unlock_irqrestore(&p->lock, flags);
    return err;
}

__noinline s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns)
{
    if (word % sizeof(u32))
        return -EINVAL;
    int err = add_if_equal(t, word, expected);
    return err ? err : process_waiter_block(t, deadline_ns);
}

__optional s64 process_tunnel_check(struct process_thread *t, u64 word) { return 0; }
__optional s64 process_wake_peer(struct process *p, u64 word, u64 count) { return 0; }

s64 process_wake(struct process *p, u64 word, u64 count)
{
    if (word % sizeof(u32)) /* no thread waits there; an odd address is a bell */
        return 0;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    s64 woken = process_waiters_wake(p, word, count);
    spin_unlock_irqrestore(&p->lock, flags);
    if (word >= PROCESS_TUNNELS)
        woken += process_wake_peer(p, word, count - (u64)woken);
    sched_poll();
    return woken;
}
