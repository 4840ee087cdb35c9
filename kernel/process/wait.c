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
#include <errors.h>
#include <hal/cpu.h>

#include "pages.h"
#include "tunnel.h"
#include "waiters.h"

/* The word could not be read. Look again when its page is there. Under the lock. */
static __cold __noinline int look_again(struct process_thread *t, u64 word, u32 expected)
{
    if (!process_bring(t, word, 0))
        return -EFAULT;
    s64 value = user_read_word(&t->user, (const void *)(unsigned long)word);
    return value == expected ? 0 : value < 0 ? (int)value : -EAGAIN;
}

/* Read the word and add the thread to the waiters if it has the expected value. Returns 0 or an error of the call.
 * Interrupts are off. */
static inline int add_if_equal(struct process_thread *t, u64 word, u32 expected)
{
    struct process *p = t->process;
    spin_lock_here(&p->lock);
    s64 value = user_read_word(&t->user, (const void *)(unsigned long)word);
    int err = likely(value == expected) ? 0 : value < 0 ? look_again(t, word, expected) : -EAGAIN;
    if (!err && unlikely(word >= PROCESS_TUNNELS))
        err = (int)process_tunnel_check(t, word);
    if (!err)
        process_waiter_add(t, word);
    spin_unlock(&p->lock);
    return err;
}

__noinline s64 process_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline_ns)
{
    if (word % sizeof(u32))
        return -EINVAL;
    if (!space_is_user(word, sizeof(u32)))
        return -EFAULT;
    s64 result = add_if_equal(t, word, expected);
    return result ? result : process_waiter_block_here(t, deadline_ns);
}

__noinline s64 process_wake(struct process *p, u64 word, u64 count)
{
    if (word % sizeof(u32)) /* no thread waits there; an odd address is a bell */
        return 0;
    spin_lock_here(&p->lock);
    s64 woken = process_waiters_wake_here(p, word, count);
    spin_unlock(&p->lock);
    if (unlikely(word >= PROCESS_TUNNELS))
        woken += process_wake_peer(p, word, count - (u64)woken);
    process_poll();
    return woken;
}
