/* SPDX-License-Identifier: MIT */
/*
 * send.c - sends messages, and waits until the receiver has taken one (mail/mail.h).
 *
 * Messages to a core are counted, and go into its two lines in turn. So a line that is free, or that a later message
 * has been put into, had its message taken. A sender that will sleep marks the line's word: the receiver then sets its
 * bit in the sender's word `taken` and interrupts it (tests/model/mail_taken.pml). A receiver that is reset
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
#include <mail/mail.h>

#include "line.h"
#include "request.h"

#define LINE    ((u32)sizeof(struct mail_line))
#define PAIR    (LINE * MAIL_SLOTS)
#define ROOM_NS 1000000ull    /* between two looks whether there is room: nobody tells of that */
#define LOOK_NS 1000000000ull /* between two looks whether the receiver's kernel is still the same: the same */

_Static_assert(MAIL_SLOTS == 2 && PAIR * SCC_CORES == MAIL_MPB_BYTES && MAIL_MPB_BYTES == SCC_MPB_MAIL,
               "a core's buffer");

static struct spinlock send_lock;
static u32 sent[SCC_CORES];                           /* to each core, in units of LINE */
static u32 met[SCC_CORES];                            /* the number of the kernel for which that holds; ~0: none */
static struct thread *waiting[SCC_CORES][MAIL_SLOTS]; /* for the message in that line to be taken */

static __inlined struct mail_line *line_at(unsigned to, u32 n)
{
    return (struct mail_line *)((u8 *)scc_mpb(to) + scc_core * PAIR + n % PAIR);
}

static __inlined struct thread **waiting_at(unsigned to, u32 n) { return &waiting[to][n / LINE % MAIL_SLOTS]; }

static __init_text void send_start(void) { memset(met, 0xff, sizeof(met)); }
INIT_CALL(send_start);

static u32 word_at(unsigned to, unsigned line)
{
    const struct mail_line *l = line_at(to, line * LINE);
    cache_poll_line(&l->word); /* its receiver may clear it now */
    return __atomic_load_n(&l->word, __ATOMIC_ACQUIRE);
}

/* Which line the receiver takes next, and in the two bits above it which lines are full. */
static u32 lines_of(unsigned to)
{
    u32 next = __atomic_load_n(&scc_shared()->next[to][scc_core], __ATOMIC_ACQUIRE) % MAIL_SLOTS;
    u32 first = word_at(to, 0) != 0, second = word_at(to, 1) != 0;
    return next | first << 1 | second << 2;
}

/*
 * Find the line that comes after the last message to a kernel to which this one has sent nothing: one of the two has
 * just begun. The receiver may take messages of this kernel's former life meanwhile: it says which line is next, then
 * frees the one that it has taken (tests/model/mail_lives.pml). So a full line that is next comes before the other
 * one; an empty one is the one to fill. If both are full, the receiver may have said so or not: there is no room before
 * it frees one. The same if it has done so while this looks. Returns 0, -ENODEV: no kernel, or -EAGAIN: no room.
 */
static __cold __noinline int meet(unsigned to, u32 kernel)
{
    u32 lines = lines_of(to), next = lines % MAIL_SLOTS;
    if (!kernel)
        return -ENODEV;
    if (lines >> 1 == 3 || lines_of(to) != lines)
        return -EAGAIN;
    if (sent[to] / LINE % MAIL_SLOTS != (next ^ (lines >> (1 + next) & 1)))
        sent[to] += LINE; /* it only grows */
    met[to] = kernel;
    return 0;
}

/* Send under the lock. Returns 0, -ENODEV or -EAGAIN: mail_send(). */
static __inlined int post(unsigned to, const void *data, unsigned bytes, u32 marks)
{
    u32 kernel = scc_up(to);
    int err = likely(kernel == met[to]) ? 0 : meet(to, kernel);
    if (unlikely(err))
        return err;
    if (!line_put(line_at(to, sent[to]), data, bytes, marks))
        return -EAGAIN;
    sent[to] += LINE;
    scc_set_bit(scc_shared()->mail[to].from);
    return 0;
}

static __inlined bool is_right(unsigned to, unsigned bytes) { return to < SCC_CORES && bytes - 1 < MAIL_BYTES; }

int mail_send(unsigned to, const void *data, unsigned bytes)
{
    if (!is_right(to, bytes))
        return -EINVAL;
    unsigned long flags = spin_lock_irqsave(&send_lock);
    int err = post(to, data, bytes, 0);
    spin_unlock_irqrestore(&send_lock, flags);
    if (!err && READ_ONCE(scc_shared()->mail[to].sleeps))
        scc_interrupt(to);
    return err;
}

/* The same for a sender that waits: *n becomes the message's number. Whoever waits for the line's last message, which
 * has been taken, is woken, because the ring may come after this thread has its place. */
static int post_awaited(unsigned to, const void *data, unsigned bytes, bool tell, u32 *n)
{
    unsigned long flags = spin_lock_irqsave(&send_lock);
    int err = post(to, data, bytes, tell ? WORD_TELL : 0);
    if (!err) {
        struct thread **place = waiting_at(to, *n = sent[to] - LINE), *before = *place;
        *place = tell ? thread_self() : NULL;
        if (before)
            thread_wake_here(before);
    }
    spin_unlock_irqrestore(&send_lock, flags);
    if (!err && READ_ONCE(scc_shared()->mail[to].sleeps))
        scc_interrupt(to);
    return err;
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

/* Look again, or sleep for `ns` at most. Returns 0, or an error of mail_send_sync(). */
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

int mail_send_sync(unsigned to, const void *data, unsigned bytes, enum mail_wait how, ticks_t deadline)
{
    u32 n;
    int err;
    if (deadline == TICKS_NEVER || !is_right(to, bytes))
        return -EINVAL;
    struct send_wait w = { to, how == MAIL_INTERRUPT ? 0 : MAIL_LOOKS, how, deadline, scc_up(to) };
    while ((err = post_awaited(to, data, bytes, how != MAIL_POLL, &n)) == -EAGAIN &&
           !(err = READ_ONCE(thread_self()->signal) ? -EINTR : wait_more(&w, ROOM_NS)))
        ;
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
