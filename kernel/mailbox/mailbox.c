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

_Static_assert(sizeof(struct mail_line) * MAIL_SLOTS * SCC_CORES == MAILBOX_MPB_BYTES &&
                   MAILBOX_MPB_BYTES <= SCC_MPB_SIZE,
               "a core's buffer");

static struct spinlock send_lock;
static u8 next_sent[SCC_CORES], next_taken[SCC_CORES]; /* slots */
static u32 senders[2];                                 /* senders whose lines are to be read */
static unsigned last;                                  /* the sender that was served last */
static u32 dropped;
static struct thread *sleeper; /* the receiver, while it waits for an interrupt */

static struct mail_line *line_of(unsigned to, unsigned from, unsigned slot)
{
    return (struct mail_line *)scc_mpb(to) + from * MAIL_SLOTS + slot;
}

int mailbox_send(unsigned to, const void *data, unsigned bytes)
{
    if (to >= SCC_CORES || !bytes || bytes > MAIL_BYTES)
        return -EINVAL;
    if (!scc_up(to))
        return -ENODEV;
    struct scc_shared *s = scc_shared();
    unsigned long flags = spin_lock_irqsave(&send_lock);
    struct mail_line *l = line_of(to, scc_core, next_sent[to]);
    bool free = line_put(l, data, bytes);
    if (free) {
        next_sent[to] = (next_sent[to] + 1) % MAIL_SLOTS;
        __atomic_fetch_or(&s->mail[to].from[scc_core / 32], 1u << scc_core % 32, __ATOMIC_SEQ_CST);
    }
    spin_unlock_irqrestore(&send_lock, flags);
    if (free && READ_ONCE(s->mail[to].sleeps))
        scc_interrupt(to);
    return free ? 0 : -EAGAIN;
}

/* Take the next message of one sender. Its lines are filled in turn, unless its kernel was restarted or is wrong. */
static bool take_from(struct mail *m, unsigned from)
{
    for (unsigned i = 0; i < MAIL_SLOTS; i++) {
        unsigned slot = next_taken[from];
        next_taken[from] = (slot + 1) % MAIL_SLOTS;
        if (line_take(m, line_of(scc_core, from, slot), from, &dropped))
            return true;
    }
    return false;
}

/* Return the next sender below the last one that was served, cyclically; SCC_CORES: none. */
static unsigned next_sender(void)
{
    u32 below = (1u << last % 32) - 1;
    u32 high = last < 32 ? 0 : senders[1] & below, low = last < 32 ? senders[0] & below : senders[0];
    if (!(high | low)) {
        high = senders[1];
        low = senders[0];
    }
    return high ? 32 + bit_msb32(high) : low ? bit_msb32(low) : SCC_CORES;
}

static void clear_sender(unsigned from) { senders[from / 32] &= ~(1u << from % 32); }

int mailbox_receive(struct mail *m)
{
    u32 *posted = scc_shared()->mail[scc_core].from;
    for (unsigned i = 0; i < 2; i++)
        if (READ_ONCE(posted[i]))
            senders[i] |= __atomic_exchange_n(&posted[i], 0, __ATOMIC_SEQ_CST);
    senders[1] &= (1u << (SCC_CORES - 32)) - 1;
    for (unsigned from; (from = next_sender()) < SCC_CORES;) {
        bool taken = take_from(m, from);
        last = from;
        /* A sender that fills the next line after this read sets its bit again. A sender of a wrong line is not read
         * again now: it could send wrong lines without end. */
        if (!taken || !READ_ONCE(line_of(scc_core, from, next_taken[from])->word))
            clear_sender(from);
        if (taken)
            return 0;
    }
    return -EAGAIN;
}

/* One look of a wait: 0, -ETIMEDOUT, -ECANCELED, or -EAGAIN: go on waiting. */
static __noinline int look(struct mail *m, ticks_t deadline)
{
    int err = thread_self()->stop ? -ECANCELED : mailbox_receive(m);
    return err == -EAGAIN && deadline != TICKS_NEVER && time_now() >= deadline ? -ETIMEDOUT : err;
}

/* Sleep until a message comes. `sleeps` is set before the last look, so a sender after that look interrupts. */
static int sleep_for(struct mail *m, ticks_t deadline)
{
    struct scc_shared *s = scc_shared();
    int err;
    sleeper = thread_self();
    for (;;) {
        WRITE_ONCE(s->mail[scc_core].sleeps, 1);
        mp_fence();
        err = look(m, deadline);
        if (err != -EAGAIN)
            break;
        thread_block(deadline);
    }
    WRITE_ONCE(s->mail[scc_core].sleeps, 0);
    sleeper = NULL;
    return err;
}

int mailbox_wait(struct mail *m, enum mail_wait how, ticks_t deadline)
{
    for (unsigned looks = 0; how != MAIL_INTERRUPT && (how == MAIL_POLL || looks < MAIL_LOOKS); looks++) {
        int err = look(m, deadline);
        if (err != -EAGAIN)
            return err;
        cpu_relax();
    }
    return sleep_for(m, deadline);
}

void mailbox_rang(void)
{
    requests_rang();
    const u32 *posted = scc_shared()->mail[scc_core].from;
    struct thread *t = READ_ONCE(sleeper);
    if (!t || !(READ_ONCE(posted[0]) | READ_ONCE(posted[1])))
        return; /* the bell was for something else */
    cache_mark_awaited();
    thread_wake(t);
}

u32 mailbox_dropped(void) { return dropped + requests_dropped(); }
