/* SPDX-License-Identifier: MIT */
/*
 * send.c - sends messages, and waits until the receiver has taken one (mailbox/mailbox.h).
 *
 * Messages to a core are counted, and go into its two lines in turn. So a line that is free, or that a later message
 * has been put into, had its message taken. A sender that will sleep marks the line's word: the receiver then sets its
 * bit in the sender's word `taken` and interrupts it (tests/model/mailbox_taken.pml). A receiver that is reset
 * meanwhile tells nobody, and its next kernel clears the line: the sender compares the kernel's number, also now and
 * then while it sleeps.
 */
#include <board/scc.h>
#include <core/init.h>
#include <core/lock.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/cache.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <mailbox/mailbox.h>

#include "line.h"
#include "request.h"

#define LINE    ((u32)sizeof(struct mail_line))
#define PAIR    (LINE * MAIL_SLOTS)
#define ROOM_NS 1000000ull    /* between two looks whether there is room: nobody tells of that */
#define LOOK_NS 1000000000ull /* between two looks whether the receiver's kernel is still the same: the same */

_Static_assert(sizeof(struct mail_line) == 4 * SCC_MAIL_LINE && offsetof(struct mail_line, word) == 4 * SCC_MAIL_WORD,
               "board/scc.h");
_Static_assert(MAIL_SLOTS == 2 && PAIR * SCC_CORES == MAILBOX_MPB_BYTES && MAILBOX_MPB_BYTES == SCC_MPB_MAIL,
               "a core's buffer");

static struct spinlock send_lock;
static u32 sent[SCC_CORES];                           /* to each core, in units of LINE */
static struct thread *waiting[SCC_CORES][MAIL_SLOTS]; /* for the message in that line to be taken */

static __inlined struct mail_line *line_at(unsigned to, u32 n)
{
    return (struct mail_line *)((u8 *)scc_mpb(to) + scc_core * PAIR + n % PAIR);
}

static __inlined struct thread **waiting_at(unsigned to, u32 n) { return &waiting[to][n / LINE % MAIL_SLOTS]; }

/* A kernel that was restarted goes on with the line that each receiver takes next, or with the other one if a message
 * of its last life is in that. */
static __init_text void start(void)
{
    for (unsigned to = 0; to < SCC_CORES; to++) {
        sent[to] = LINE * (READ_ONCE(scc_shared()->next[to][scc_core]) % MAIL_SLOTS);
        const struct mail_line *l = line_at(to, sent[to]);
        cache_poll_line(&l->word); /* its receiver may clear it now */
        if (READ_ONCE(l->word))
            sent[to] += LINE;
    }
}
INIT_CALL(start);

/* Interrupts are off. Returns false if there is no room. */
static __inlined bool post(unsigned to, const void *data, unsigned bytes, u32 marks)
{
    u32 n = sent[to];
    if (!line_put(line_at(to, n), data, bytes, marks))
        return false;
    sent[to] = n + LINE;
    scc_set_bit(scc_shared()->mail[to].from);
    return true;
}

static __inlined int check(unsigned to, unsigned bytes)
{
    if (to >= SCC_CORES || bytes - 1 >= MAIL_BYTES)
        return -EINVAL;
    return scc_up(to) ? 0 : -ENODEV;
}

int mailbox_send(unsigned to, const void *data, unsigned bytes)
{
    int err = check(to, bytes);
    if (err)
        return err;
    unsigned long flags = spin_lock_irqsave(&send_lock);
    bool posted = post(to, data, bytes, 0);
    spin_unlock_irqrestore(&send_lock, flags);
    if (!posted)
        return -EAGAIN;
    if (READ_ONCE(scc_shared()->mail[to].sleeps))
        scc_interrupt(to);
    return 0;
}

/* The same for a sender that waits: *n becomes the message's number. Whoever waits for the line's last message, which
 * has been taken, is woken, because the ring may come after this thread has its place. */
static int post_awaited(unsigned to, const void *data, unsigned bytes, bool tell, u32 *n)
{
    unsigned long flags = spin_lock_irqsave(&send_lock);
    struct thread **place = waiting_at(to, *n = sent[to]), *before = *place;
    bool posted = post(to, data, bytes, tell ? WORD_TELL : 0);
    if (posted) {
        *place = tell ? thread_self() : NULL;
        if (before)
            thread_wake_here(before);
    }
    spin_unlock_irqrestore(&send_lock, flags);
    if (posted && READ_ONCE(scc_shared()->mail[to].sleeps))
        scc_interrupt(to);
    return posted ? 0 : -EAGAIN;
}

static bool is_taken(unsigned to, u32 n)
{
    return !__atomic_load_n(&line_at(to, n)->word, __ATOMIC_ACQUIRE) || READ_ONCE(sent[to]) - n > PAIR;
}

static void leave(unsigned to, u32 n)
{
    unsigned long flags = spin_lock_irqsave(&send_lock);
    if (*waiting_at(to, n) == thread_self())
        *waiting_at(to, n) = NULL;
    spin_unlock_irqrestore(&send_lock, flags);
}

/* A wait for a receiver, of a thread that looks `looks` times more before it sleeps. */
struct send_wait {
    unsigned to, looks;
    enum mail_wait how;
    ticks_t deadline;
    u32 kernel; /* the receiver's number (board/scc.h) */
};

/* Look again, or sleep for `ns` at most. Returns 0, or an error of mailbox_send_sync(). */
static int wait_more(struct send_wait *w, u64 ns)
{
    if (READ_ONCE(thread_self()->stop))
        return -ECANCELED;
    if (scc_up(w->to) != w->kernel)
        return -ENODEV;
    if (time_now() >= w->deadline)
        return -ETIMEDOUT;
    if (w->looks) {
        w->looks -= w->how == MAIL_ADAPTIVE;
        cpu_relax();
    } else {
        thread_block(MIN(time_after(ns), w->deadline));
    }
    return 0;
}

int mailbox_send_sync(unsigned to, const void *data, unsigned bytes, enum mail_wait how, ticks_t deadline)
{
    u32 n;
    int err = deadline == TICKS_NEVER ? -EINVAL : check(to, bytes);
    struct send_wait w = { to, how == MAIL_INTERRUPT ? 0 : MAIL_LOOKS, how, deadline, err ? 0 : scc_up(to) };
    while (!err && (err = post_awaited(to, data, bytes, how != MAIL_POLL, &n)) == -EAGAIN)
        err = READ_ONCE(thread_self()->signal) ? -EINTR : wait_more(&w, ROOM_NS);
    if (err)
        return err == -ETIMEDOUT ? -EAGAIN : err;
    while (!is_taken(to, n) && !err)
        err = wait_more(&w, LOOK_NS);
    leave(to, n);
    return !err && scc_up(to) != w.kernel ? -ENODEV : err;
}

void sends_rang(void)
{
    u32 *taken = scc_shared()->mail[scc_core].taken;
    for (unsigned half = 0; half < 2; half++) {
        if (likely(!READ_ONCE(taken[half])))
            continue;
        u32 bits = __atomic_exchange_n(&taken[half], 0, __ATOMIC_SEQ_CST);
        for (bits &= half ? (1u << (SCC_CORES - 32)) - 1 : ~0u; bits; bits &= bits - 1)
            for (unsigned slot = 0; slot < MAIL_SLOTS; slot++) {
                struct thread *t = waiting[half * 32 + bit_msb32(bits & -bits)][slot];
                if (t)
                    thread_wake_here(t);
            }
    }
}
