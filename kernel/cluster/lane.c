/* SPDX-License-Identifier: MIT */
/*
 * lane.c - messages between two clusters without coherence and without atomic operations.
 *
 * Correctness depends on the order of accesses (tests/model/lane.pml):
 * - a message is cleaned before its bit in `put` changes, and read before its bit in `taken` does;
 * - `news` is written after the words that it announces, and read before them;
 * - an end that restarts writes echo = 0, then the new epoch, then clears its places;
 * - an end that accepts a new epoch writes echo = 0, then clears its places, then writes echo;
 * - a reader reads echo first, then the places, then the epoch. It may use the peer's places only if the peer echoes
 * this end's epoch, and if the epoch that was read last is the accepted one; those of another run come with another
 * epoch.
 */
#include <errors.h>
#include <hal/time.h>
#include <life.h>

#include "lane.h"

#define RESTARTS_BITS 7
_Static_assert(LIFE_BITS + RESTARTS_BITS == 31, "an epoch is an even word");

#define FAR 0x9e3779b1u /* a factor that makes near numbers differ widely */

static void forget(struct lane *l, u32 peer_epoch)
{
    l->own.both = 0;
    l->seen = (union lane_places){ .put = LANE_LOOK_CLOSELY };
    for (struct lane_row *r = l->row; r != l->row + LANE_ROWS; r++)
        r->number = r->next = r->n_waiting = r->n_left = 0;
    l->noted = l->notified = l->noticed = 0;
    l->ours->unwanted = 0;
    l->peer_epoch = peer_epoch;
    l->up = false;
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        l->ours->signal[i] = l->signalled[i] = 0;
    l->ours->slow = l->slow = false;
    lane_publish(l, &l->ours->places.put, 0);
    lane_publish(l, &l->ours->places.taken, 0);
}

u32 lanes_dropped;

static u32 life_of(u32 epoch) { return epoch / LANE_STEP >> RESTARTS_BITS; }

/* Restart this end, in the next epoch if `next`. An end that never was up in its epoch keeps it: nothing has come or
 * gone in it, and a peer that is silent for long finds no old number again. */
static void restart(struct lane *l, bool next)
{
    l->restarts += next;
    l->epoch = (noc_life() << RESTARTS_BITS | l->restarts % (1u << RESTARTS_BITS)) * LANE_STEP;
    l->asked_at = 0;
    lane_publish(l, &l->ours->echo, 0);
    lane_publish(l, &l->ours->epoch, l->epoch);
    forget(l, 0);
}

void lane_start(struct lane *l, unsigned peer)
{
    *l = (struct lane){ .peer = (u8)peer };
    l->ours = (struct lane_half *)noc_outbox() + peer;
    l->theirs = (const struct lane_half *)noc_outbox_of(peer) + noc_self();
    restart(l, false);
    l->told = l->epoch * FAR; /* far from all values that the peer may have read in an earlier run */
    l->asked = l->epoch;      /* so that an answer to an earlier run does not answer the next question */
    l->answer = l->ours->answer;
    lane_tell(l);
}

/* Accept another epoch of the peer, which has started or restarted. */
static int accept(struct lane *l, u32 epoch)
{
    bool was_up = l->up;
    l->former_at = 0;
    lane_publish(l, &l->ours->echo, 0);
    forget(l, epoch);
    if (epoch) {
        l->heard_of = life_of(epoch);
        lane_publish(l, &l->ours->echo, epoch);
    }
    lane_tell(l);
    return was_up ? -EIO : -EAGAIN;
}

__cold void lane_give_up(struct lane *l)
{
    restart(l, l->up);
    lane_tell(l);
}

/* Returns whether to drop an epoch because its life is over: the peer has said a later one. But who has said nothing
 * else for noc_patience() is there, and the later one was a lie of the life before. */
static __cold bool is_former(struct lane *l, u32 epoch)
{
    if (!epoch || !life_is_older(life_of(epoch), l->heard_of))
        return false;
    ticks_t now = time_now();
    l->former_at = l->former_at ?: now;
    lanes_dropped++;
    return now - l->former_at <= time_from_ns(noc_patience());
}

__cold int lane_lied(struct lane *l)
{
    restart(l, true);
    lane_tell(l);
    return -EBADMSG;
}

static void answer(struct lane *l, u32 ask)
{
    if (ask % LANE_STEP || ask == l->answer)
        return;
    l->answer = ask;
    lane_publish(l, &l->ours->answer, ask);
    lane_tell(l);
}

int lane_poll(struct lane *l)
{
    const struct lane_half *h = l->theirs;
    l->heard = READ_ONCE(h->news);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* `news` before the words that it announces */
    u32 echo = READ_ONCE(h->echo);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the echo before the places */
    union lane_places places = { .both = READ_ONCE(h->places.both) };
    u32 ask = READ_ONCE(h->ask), answered = READ_ONCE(h->answer);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the places before the epoch */
    u32 epoch = READ_ONCE(h->epoch);

    if (epoch != l->peer_epoch)
        return is_former(l, epoch) ? -EAGAIN : accept(l, epoch);
    answer(l, ask);
    if (answered == l->asked)
        l->asked_at = 0;
    if (!epoch || echo != l->epoch)
        return -EAGAIN;
    if ((places.put | places.taken) & ~(LANE_LITTLE_BITS | LANE_BUFFER_BITS | LANE_SLOT_BITS))
        return lane_lied(l);
    l->up = true;
    l->seen = places;
    if (l->asked_at || l->row[LANE_MAILS].n_waiting || l->row[LANE_SIGNALLED].n_waiting)
        l->seen.put |= LANE_LOOK_CLOSELY;
    return 0;
}

void lane_ask(struct lane *l)
{
    if (l->asked_at)
        return;
    l->asked += LANE_STEP;
    l->asked_at = MAX(time_now(), (ticks_t)1);
    l->seen.put |= LANE_LOOK_CLOSELY;
    lane_publish(l, &l->ours->ask, l->asked);
    lane_tell(l);
}
