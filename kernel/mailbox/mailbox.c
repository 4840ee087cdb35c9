/* SPDX-License-Identifier: MIT */
/* mailbox.c - see mailbox/mailbox.h. */
#include <board/scc.h>
#include <core/lock.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/cache.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <mailbox/mailbox.h>

#include "line.h"
#include "request.h"

_Static_assert(MAIL_SLOTS == 2, "a line and the other one");
_Static_assert(sizeof(struct mail_line) * MAIL_SLOTS * SCC_CORES == MAILBOX_MPB_BYTES &&
                   MAILBOX_MPB_BYTES <= SCC_MPB_SIZE,
               "a core's buffer");

static struct spinlock send_lock;
static u8 next_sent[SCC_CORES], next_taken[SCC_CORES]; /* slots */
static u32 turns[2];                                   /* senders whose turn is to come */
static u32 dropped;
static struct thread *sleeper; /* the receiver, while it waits for an interrupt */

static __inlined struct mail_line *line_of(unsigned to, unsigned from, unsigned slot)
{
    return (struct mail_line *)scc_mpb(to) + from * MAIL_SLOTS + slot;
}

int mailbox_send(unsigned to, const void *data, unsigned bytes)
{
    if (to >= SCC_CORES || bytes - 1 >= MAIL_BYTES)
        return -EINVAL;
    if (!scc_up(to))
        return -ENODEV;
    struct scc_mail *theirs = &scc_shared()->mail[to];
    unsigned here = scc_core;
    unsigned long flags = spin_lock_irqsave(&send_lock);
    unsigned slot = next_sent[to];
    bool free = line_put(line_of(to, here, slot), data, bytes);
    if (free) {
        next_sent[to] = (u8)((slot + 1) % MAIL_SLOTS);
        __atomic_fetch_or(&theirs->from[here / 32], 1u << here % 32, __ATOMIC_SEQ_CST);
    }
    spin_unlock_irqrestore(&send_lock, flags);
    if (free && READ_ONCE(theirs->sleeps))
        scc_interrupt(to);
    return free ? 0 : -EAGAIN;
}

static __inlined bool is_posted(const u32 *words) { return READ_ONCE(words[0]) | READ_ONCE(words[1]); }

/* Give each sender that has posted something a turn. */
static __inlined void begin_turns(u32 *words)
{
    for (unsigned i = 0; i < 2; i++)
        if (READ_ONCE(words[i]))
            turns[i] |= __atomic_exchange_n(&words[i], 0, __ATOMIC_SEQ_CST);
    turns[1] &= (1u << (SCC_CORES - 32)) - 1;
}

/* The line of a sender that was next is not full: take the other one. Its kernel fills them in turn, unless it was
 * restarted or is wrong. */
static __cold __noinline bool take_other(struct mail *m, unsigned from)
{
    next_taken[from] ^= 1;
    return line_take(m, line_of(scc_core, from, next_taken[from]), from, &dropped);
}

/*
 * A turn is one message of a sender. When no turn is left, those begin whose senders have posted something, once: a
 * sender of wrong lines does not keep the caller.
 */
int mailbox_receive(struct mail *m)
{
    u32 *words = scc_shared()->mail[scc_core].from;
    for (bool begun = false;; begun = true) {
        while (turns[0] | turns[1]) {
            unsigned half = turns[1] != 0, from = bit_msb32(turns[half]);
            turns[half] &= ~(1u << from);
            from += 32 * half;
            struct mail_line *l = line_of(scc_core, from, next_taken[from]);
            if (unlikely(!line_take(m, l, from, &dropped) && !take_other(m, from)))
                continue;
            next_taken[from] ^= 1;
            /* The other line: a sender that fills it after this read sets its bit itself. */
            if (unlikely(READ_ONCE(line_of(scc_core, from, next_taken[from])->word)))
                __atomic_fetch_or(&words[half], 1u << from % 32, __ATOMIC_SEQ_CST);
            return 0;
        }
        if (begun)
            return -EAGAIN;
        begin_turns(words);
    }
}

/* One look of a wait of thread `self`: 0, -ETIMEDOUT, -ECANCELED, or -EAGAIN: go on waiting. */
static __inlined int look(struct mail *m, const struct thread *self, const u32 *words, ticks_t deadline)
{
    if (READ_ONCE(self->stop))
        return -ECANCELED;
    if (is_posted(words) || turns[0] | turns[1]) {
        int err = mailbox_receive(m);
        if (err != -EAGAIN)
            return err;
    }
    return deadline != TICKS_NEVER && time_now() >= deadline ? -ETIMEDOUT : -EAGAIN;
}

/* Poll, then sleep. `sleeps` is set before the last look, so a sender after that look interrupts. */
int mailbox_wait(struct mail *m, enum mail_wait how, ticks_t deadline)
{
    struct scc_mail *mine = &scc_shared()->mail[scc_core];
    struct thread *self = thread_self();
    unsigned left = how == MAIL_INTERRUPT ? 0 : MAIL_LOOKS;
    int err;
    while ((err = look(m, self, mine->from, deadline)) == -EAGAIN) {
        if (left) {
            left -= how == MAIL_ADAPTIVE;
            cpu_relax();
        } else if (!sleeper) {
            sleeper = self;
            WRITE_ONCE(mine->sleeps, 1);
            mp_fence();
        } else {
            thread_block(deadline);
        }
    }
    if (sleeper) {
        WRITE_ONCE(mine->sleeps, 0);
        sleeper = NULL;
    }
    return err;
}

void mailbox_rang(void)
{
    requests_rang();
    struct thread *t = READ_ONCE(sleeper);
    if (!t || !is_posted(scc_shared()->mail[scc_core].from))
        return; /* the bell was for something else */
    cache_mark_awaited();
    thread_wake_here(t);
}

u32 mailbox_dropped(void) { return dropped + requests_dropped(); }
