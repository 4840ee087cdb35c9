/* SPDX-License-Identifier: MIT */
/* lane_little.c - signals, in slots of a line each, which may be taken in any order; see lane.h. */
#include <string.h>

#include "lane.h"

/* Returns a little slot that is free; LANE_LITTLES: there is none. */
static unsigned free_little(const struct lane *l)
{
    unsigned i = 0;
    while (i < LANE_LITTLES && (l->little ^ l->little_acknowledged) & lane_bit(i))
        i++;
    return i;
}

int lane_send_little(struct lane *l, const struct lane_message *m)
{
    unsigned i = free_little(l);
    if (!l->up || i == LANE_LITTLES)
        return -EAGAIN;
    struct lane_little *s = &l->ours->littles[i];
    s->number = l->little_number;
    s->head = m->head;
    s->of = m->of;
    lane_copy(s->data, m->data, m->size);
    noc_clean_line(s);
    l->little_number += LANE_STEP;
    lane_publish(l, &l->ours->little, l->little ^= lane_bit(i));
    lane_tell(l);
    return 0;
}

/* Find the slot of the next message, which is the last of those that wait then. */
static int offer(struct lane *l)
{
    u32 used = l->peer_little ^ l->little_taken;
    for (unsigned n = 0; n < l->n_waiting; n++)
        used &= ~lane_bit(l->waiting[n]);
    if (!used)
        return -EAGAIN;
    for (unsigned i = 0; i < LANE_LITTLES; i++) {
        const struct lane_little *s = &l->theirs->littles[i];
        if (!(used & lane_bit(i)))
            continue;
        noc_invalidate_line(s);
        if (READ_ONCE(s->number) != l->little_next)
            continue;
        l->little_next += LANE_STEP;
        l->waiting[l->n_waiting++] = (u8)i;
        return 0;
    }
    return lane_lied(l);
}

static bool is_right(struct lane_message m)
{
    return m.kind == LANE_KIND_LITTLE && m.to < LANE_PORTS && m.from < LANE_PORTS && m.size - 1u < LANE_LITTLE;
}

int lane_peek_little(struct lane *l, unsigned n, struct lane_message *m)
{
    int err = !l->up ? -EAGAIN : n == l->n_waiting ? offer(l) : 0;
    if (err)
        return err;
    const struct lane_little *s = &l->theirs->littles[l->waiting[n]];
    m->head = READ_ONCE(s->head);
    m->of = READ_ONCE(s->of);
    m->data = s->data;
    m->half = l->theirs;
    m->epoch = l->peer_epoch;
    return is_right(*m) ? 0 : lane_lied(l);
}

/* A peer that has found all slots used waits for a ring. Its last one is the last to be taken, or to be left
 * in its slot; while some are left, any other may be what it waits for (tests/model/lane_little.pml). */
void lane_leave_little(struct lane *l, unsigned n)
{
    if (n < l->n_left)
        return;
    l->n_left = (u8)(n + 1);
    lane_tell(l);
}

void lane_take_little(struct lane *l, unsigned n)
{
    unsigned i = l->waiting[n];
    bool last = i + 1 == LANE_LITTLES;
    bool held = --l->n_waiting;
    l->n_left -= n < l->n_left;
    if (held)
        memmove(&l->waiting[n], &l->waiting[n + 1], l->n_waiting - n);
    lane_publish(l, &l->ours->little_taken, l->little_taken ^= lane_bit(i));
    if (last || held)
        lane_tell(l);
}
