/* SPDX-License-Identifier: MIT */
/*
 * lane.c - messages between two clusters without coherence and without atomic operations.
 *
 * Correctness depends on the order of accesses (tests/model/lane.pml):
 * - a message is cleaned before `sent` counts it, and read before `taken` counts it;
 * - `news` is written after the words that it announces, and read before them;
 * - an end that restarts writes echo = 0, then the new epoch, then counts = 0;
 * - an end that accepts a new epoch writes echo = 0, then counts = 0, then echo;
 * - a reader reads echo first, then the counts, then the epoch. It may use the peer's counts only if the peer echoes
 * this end's epoch, and if the epoch that was read last is the accepted one; counts of another run come with another
 * epoch.
 */
#include <errors.h>
#include <hal/time.h>

#include "lane.h"

#define STEP 2u          /* words are even */
#define FAR  0x9e3779b1u /* a factor that makes near numbers differ widely */

/* Store one of this end's words, so that it is visible before any later one. */
static void publish(struct lane *l, u32 *word, u32 value)
{
    WRITE_ONCE(*word, value);
    noc_clean_line(l->ours);
}

/* Change `news` and ring the peer, so that it reads the other words. */
static void tell(struct lane *l)
{
    l->told += STEP;
    publish(l, &l->ours->news, l->told);
    noc_ring(l->peer);
}

static void forget(struct lane *l, u32 peer_epoch)
{
    l->sent = l->acknowledged = l->taken = l->peer_sent = 0;
    l->peer_epoch = peer_epoch;
    l->up = false;
    publish(l, &l->ours->sent, 0);
    publish(l, &l->ours->taken, 0);
}

/* Restart this end with a new epoch. The board clears an outbox when its cluster starts, so only time can make epochs
 * differ. */
static void restart(struct lane *l)
{
    u32 epoch = (u32)time_now() * STEP;
    while (!epoch || epoch == l->epoch)
        epoch += STEP;
    l->epoch = epoch;
    l->asked_at = 0;
    publish(l, &l->ours->echo, 0);
    publish(l, &l->ours->epoch, epoch);
    forget(l, 0);
}

void lane_start(struct lane *l, unsigned peer)
{
    *l = (struct lane){ .peer = (u8)peer };
    l->ours = (struct lane_half *)noc_outbox() + peer;
    l->theirs = (const struct lane_half *)noc_outbox_of(peer) + noc_self();
    restart(l);
    l->told = l->epoch * FAR; /* far from all values that the peer may have read in an earlier run */
    l->asked = l->epoch;      /* so that an answer to an earlier run does not answer the next question */
    tell(l);
}

/* Accept another epoch of the peer, which has started or restarted. */
static int accept(struct lane *l, u32 epoch)
{
    bool was_up = l->up;
    publish(l, &l->ours->echo, 0);
    forget(l, epoch);
    if (epoch)
        publish(l, &l->ours->echo, epoch);
    tell(l);
    return was_up ? -EIO : -EAGAIN;
}

static int lied(struct lane *l)
{
    restart(l);
    tell(l);
    return -EBADMSG;
}

static void answer(struct lane *l, u32 ask)
{
    if (ask % STEP || ask == l->ours->answer)
        return;
    publish(l, &l->ours->answer, ask);
    tell(l);
}

static bool is_possible(const struct lane *l, u32 sent, u32 taken)
{
    const u32 most = LANE_SLOTS * STEP;
    return !((sent | taken) % STEP) && sent - l->taken <= most && sent - l->peer_sent <= most &&
           taken - l->acknowledged <= l->sent - l->acknowledged;
}

int lane_poll(struct lane *l)
{
    const struct lane_half *h = l->theirs;
    noc_poll(h);
    l->heard = READ_ONCE(h->news);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 echo = READ_ONCE(h->echo);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 sent = READ_ONCE(h->sent), taken = READ_ONCE(h->taken), ask = READ_ONCE(h->ask),
        answered = READ_ONCE(h->answer);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 epoch = READ_ONCE(h->epoch);

    if (epoch != l->peer_epoch)
        return accept(l, epoch);
    answer(l, ask);
    if (answered == l->asked)
        l->asked_at = 0;
    if (!epoch || echo != l->epoch)
        return -EAGAIN;
    if (!is_possible(l, sent, taken))
        return lied(l);
    l->up = true;
    l->peer_sent = sent;
    l->acknowledged = taken;
    return 0;
}

void lane_ask(struct lane *l)
{
    if (l->asked_at)
        return;
    l->asked += STEP;
    l->asked_at = MAX(time_now(), (ticks_t)1);
    publish(l, &l->ours->ask, l->asked);
    tell(l);
}

int lane_send(struct lane *l, const struct lane_message *m)
{
    if (!l->up || l->sent - l->acknowledged == LANE_SLOTS * STEP)
        return -EAGAIN;
    struct lane_slot *s = &l->ours->slot[l->sent / STEP % LANE_SLOTS];
    s->number = l->sent;
    s->head = STEP * (m->kind | (u32)m->to << 4 | (u32)m->from << 12 | (u32)m->size << 20);
    lane_copy(s->data, m->data,
              m->size); /* bytes behind the data in the slot are from an older message to the same peer */
    noc_clean(s, offsetof(struct lane_slot, data) + m->size);
    l->sent += STEP;
    publish(l, &l->ours->sent, l->sent);
    tell(l);
    return 0;
}

static bool is_right(const struct lane_message *m)
{
    return m->kind < LANE_KINDS && m->to < LANE_PORTS && m->from < LANE_PORTS && m->size && m->size <= LANE_DATA;
}

int lane_peek(struct lane *l, struct lane_message *m)
{
    if (!l->up || l->peer_sent == l->taken)
        return -EAGAIN;
    const struct lane_slot *s = &l->theirs->slot[l->taken / STEP % LANE_SLOTS];
    noc_invalidate(s, sizeof(*s));
    u32 number = READ_ONCE(s->number), head = READ_ONCE(s->head);
    m->kind = head / STEP & 15;
    m->to = (u8)(head / STEP >> 4);
    m->from = (u8)(head / STEP >> 12);
    m->size = (u8)(head / STEP >> 20);
    if (number != l->taken || head % STEP || !is_right(m))
        return lied(l);
    m->data = s->data;
    return 0;
}

/* A peer that has found all slots full waits for a ring, which must come within LANE_SLOTS takes. It is not enough to
 * ring if all slots were full at this take, because the peer may have filled the last one since. */
void lane_take(struct lane *l)
{
    l->taken += STEP;
    publish(l, &l->ours->taken, l->taken);
    if (!(l->taken / STEP % (LANE_SLOTS / 2)))
        tell(l);
}
