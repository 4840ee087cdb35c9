/* SPDX-License-Identifier: MIT */
/* receive.c - receives messages (mail/mail.h). */
#include <board/scc.h>
#include <core/init.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/cache.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <hal/upcalls.h>
#include <mail/mail.h>

#include "line.h"
#include "request.h"

static u32 turns[2]; /* senders whose turn is to come */
static u32 dropped;
static struct thread *sleeper; /* the receiver, while it waits for an interrupt */
bool mail_handed_over;

/* This core's lines, and for each sender which one is taken next. That is in shared memory, so that a sender and a
 * receiver that are restarted know it; anybody may write it, so it is bounded. */
static struct mail_line *lines;
static u8 *next;

/* The sender heard last, which most often sends the next message, too. */
static struct {
    unsigned from;
    u32 others[2];          /* bits of all other senders */
    u8 *next;               /* as above, of this sender */
    struct mail_line *line; /* the line that it names */
} heard;

/* The pair of lines of each sender begins at a multiple of its size. */
static __inlined struct mail_line *next_line(unsigned from)
{
    return lines + from * MAIL_SLOTS + READ_ONCE(next[from]) % MAIL_SLOTS;
}

static __inlined struct mail_line *other_line(struct mail_line *l)
{
    return (struct mail_line *)((uintptr_t)l ^ sizeof(*l));
}

static __noinline void hear(unsigned from)
{
    heard.from = from;
    heard.others[0] = from < 32 ? ~(1u << from) : ~0u;
    heard.others[1] = from < 32 ? ~0u : ~(1u << from % 32);
    heard.next = &next[from];
    heard.line = next_line(from);
}

__init_text void mail_hand_over(void) { mail_handed_over = true; }

static __init_text void mail_start(void)
{
    lines = scc_mpb(scc_core);
    next = scc_shared()->next[scc_core];
    hear(0);
}
INIT_CALL(mail_start);

/* Take a line whose word is not that of a message alone. It may have a message whose sender waits, else it is dropped.
 */
static __cold __noinline bool take_marked(struct mail *m, struct mail_line *l, unsigned from, u32 word)
{
    if (!(word & WORD_TELL) || !word_is_good(word & ~WORD_TELL)) {
        dropped++;
        line_free(l);
        return false;
    }
    line_copy(m, l, from, word & ~WORD_TELL);
    next[from] ^= 1;
    line_free(l);
    scc_set_bit(scc_shared()->mail[from].taken);
    scc_interrupt(from);
    return true;
}

/* Take the message in a line that has the word `word`, not 0, and free it. Returns false if it was none. Which line is
 * next is said before this one is free: a sender that begins sees by a free line that it was (send.c). */
static __inlined bool take(struct mail *m, struct mail_line *l, unsigned from, u8 *which, u32 word)
{
    if (unlikely(!word_is_good(word)))
        return take_marked(m, l, from, word);
    line_copy(m, l, from, word);
    *which ^= 1;
    line_free(l);
    return true;
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

/* The line of a sender that is next was empty. If the other one is full and this one still empty, the two do not agree
 * on which is next, because one was restarted in between or is wrong: then the other one is. A sender fills this one
 * before the other, so it is looked at again: else the second message could come before the first
 * (tests/model/mail_order.pml). Returns the word of the line that is next. */
static __cold __noinline u32 look_again(unsigned from)
{
    struct mail_line *l = next_line(from);
    u32 other = __atomic_load_n(&other_line(l)->word, __ATOMIC_ACQUIRE),
        word = __atomic_load_n(&l->word, __ATOMIC_ACQUIRE);
    if (word || !other)
        return word;
    next[from] ^= 1;
    return READ_ONCE(other_line(l)->word);
}

/* Take the next message of a sender. Returns false if there is none. */
static __inlined bool take_of(struct mail *m, unsigned from)
{
    u32 word = __atomic_load_n(&next_line(from)->word, __ATOMIC_ACQUIRE);
    if (unlikely(!word) && !(word = look_again(from)))
        return false;
    return take(m, next_line(from), from, &next[from], word);
}

/*
 * A turn is one message of a sender. When no turn is left, those begin whose senders have posted something, once: a
 * sender of wrong lines does not keep the caller.
 */
int mail_receive(struct mail *m)
{
    u32 *words = scc_shared()->mail[scc_core].from;
    for (bool begun = false;; begun = true) {
        while (turns[0] | turns[1]) {
            unsigned half = turns[1] != 0, from = bit_msb32(turns[half]);
            turns[half] &= ~(1u << from);
            from += 32 * half;
            bool taken = take_of(m, from);
            hear(from);
            if (!taken)
                continue;
            /* The other line: a sender that fills it after this read sets its bit itself. */
            if (unlikely(READ_ONCE(heard.line->word)))
                __atomic_fetch_or(&words[half], 1u << from % 32, __ATOMIC_SEQ_CST);
            return 0;
        }
        if (begun)
            return -EAGAIN;
        begin_turns(words);
    }
}

/* A message of the sender heard last is taken without a turn if no other sender has one or has posted: its line's word
 * alone tells of it. Its bit comes or stays, and names nothing when it is looked at. */
static __inlined bool take_of_heard(struct mail *m)
{
    struct mail_line *l = heard.line;
    u32 word = __atomic_load_n(&l->word, __ATOMIC_ACQUIRE);
    if (!word || !take(m, l, heard.from, heard.next, word))
        return false;
    heard.line = other_line(l);
    return true;
}

/* Returns whether there are turns for others than the sender heard last, or it has filled the wrong line. */
static __inlined bool others_posted(const u32 *words)
{
    return (READ_ONCE(words[0]) & heard.others[0]) | (READ_ONCE(words[1]) & heard.others[1]) | turns[0] | turns[1] |
           READ_ONCE(other_line(heard.line)->word);
}

/* Say that this core sleeps, then look at all senders: whoever posts after that interrupts. */
static __cold __noinline int fall_asleep(struct mail *m, struct thread *self)
{
    sleeper = self;
    WRITE_ONCE(scc_shared()->mail[scc_core].sleeps, 1);
    mp_fence();
    return mail_receive(m);
}

/* Poll, then sleep. */
int mail_await(struct mail *m, enum mail_wait how, ticks_t deadline)
{
    struct thread *self = thread_self();
    const u32 *words = scc_shared()->mail[scc_core].from;
    unsigned left = how == MAIL_INTERRUPT ? 0 : MAIL_LOOKS;
    int err = -EAGAIN;
    while (err == -EAGAIN) {
        if (READ_ONCE(self->stop)) {
            err = -ECANCELED;
        } else if (others_posted(words)) {
            err = mail_receive(m);
        } else {
            if (left)
                cpu_relax();
            if (take_of_heard(m))
                err = 0;
        }
        if (err != -EAGAIN)
            break;
        if (deadline != TICKS_NEVER && time_now() >= deadline)
            err = -ETIMEDOUT;
        else if (READ_ONCE(self->signal))
            err = -EINTR;
        else if (left)
            left -= how == MAIL_ADAPTIVE;
        else if (sleeper)
            thread_block(deadline);
        else
            err = fall_asleep(m, self);
    }
    if (sleeper) {
        WRITE_ONCE(scc_shared()->mail[scc_core].sleeps, 0);
        sleeper = NULL;
    }
    return err;
}

void mail_rang(void)
{
    requests_rang();
    sends_rang();
    struct thread *t = READ_ONCE(sleeper);
    if (!t || !is_posted(scc_shared()->mail[scc_core].from))
        return; /* the bell was for something else */
    cache_mark_awaited();
    thread_wake_here(t);
}

u32 mail_dropped(void) { return dropped + requests_dropped(); }
