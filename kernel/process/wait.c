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
 *
 * Where the master adds the waiter (REMOTE_ALL) the word is still read on the caller's core, and a wake-up may pass
 * between that and the request. So the caller reads the process's count of wake-ups first, and the master adds it only
 * while the count is that one; else the caller looks again (tests/model/remote_wait.pml).
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
#if REMOTE_ALL
/* On the master. Returns 1 if somebody was woken since. */
static s64 add_unless_woken(struct request *r)
{
    struct process_thread *t = remote_thread(r);
    struct process *p = t->process;
    irq_disable();
    spin_lock_here(&p->lock);
    bool same = p->wakes == t->wakes;
    if (same)
        process_waiter_add(t, t->waits_at);
    spin_unlock(&p->lock);
    irq_enable();
    return !same;
}

static s64 add_if_equal(struct process_thread *t, u64 word, u32 expected)
{
    struct process *p = t->process;
    t->waits_at = word;
    for (;;) {
        t->wakes = __atomic_load_n(&p->wakes, __ATOMIC_ACQUIRE);
        s64 value = user_read_word(&t->user, (const void *)(unsigned long)word);
        if (unlikely(value < 0)) {
            spin_lock_here(&p->lock);
            value = look_again(t, word, expected);
            spin_unlock(&p->lock);
            if (value)
                return value;
            continue; /* it is there now */
        }
        if (value != expected)
            return -EAGAIN;
        s64 woken = remote_call(t, add_unless_woken);
        if (likely(woken <= 0))
            return woken;
        irq_enable(); /* the others of the process choose how often this comes */
        irq_disable();
    }
}
#else
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
#endif

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
    process_count_wake(p);
    s64 woken = process_waiters_wake_here(p, word, count);
    spin_unlock(&p->lock);
    if (unlikely(word >= PROCESS_TUNNELS))
        woken += process_wake_peer(p, word, count - (u64)woken);
    process_poll();
    return woken;
}
