/* SPDX-License-Identifier: MIT */
/*
 * lane_slots.c - messages in slots, which may be taken in any order; see lane.h. Both sizes of slots begin alike. Most
 * mails take the short way there, so this is what is rare; but for signals.
 */
#include <string.h>

#include "lane.h"

static const struct size {
    u8 at;   /* of a slot's bit, the first one's */
    u8 n;    /* slots */
    u8 ring; /* a sender that finds fewer slots used does not wait for one */
    u8 kind; /* of its messages */
    u8 data; /* bytes of one */
} sizes[LANE_ROWS] = {
    [LANE_MAILS] = { LANE_SLOT_AT, LANE_SLOTS, LANE_RING, 0, LANE_DATA },
    [LANE_SIGNALLED] = { LANE_LITTLE_AT, LANE_LITTLES, LANE_LITTLES, LANE_KIND_LITTLE, LANE_LITTLE },
};

static inline const struct lane_slot *slot_of(const struct lane_half *h, unsigned row, size_t i)
{
    return row == LANE_MAILS ? &h->slot[i] : (const struct lane_slot *)(const void *)&h->littles[i];
}

int lane_send_little(struct lane *l, const struct lane_message *m)
{
    size_t i = 0;
    while (i < LANE_LITTLES && !(lane_free(l) >> (i + LANE_LITTLE_AT) & 1))
        i++;
    if (!l->up || i == LANE_LITTLES)
        return -EAGAIN;
    struct lane_little *s = &l->ours->littles[i];
    s->number = l->row[LANE_SIGNALLED].number;
    s->head = m->head;
    s->of = m->of;
    lane_copy(s->data, m->data, m->size);
    noc_clean_line(s);
    l->row[LANE_SIGNALLED].number += LANE_STEP;
    lane_put(l, 1u << (i + LANE_LITTLE_AT));
    return 0;
}

__cold __noinline size_t lane_free_slot(const struct lane *l)
{
    size_t i = 0;
    while (i < LANE_SLOTS && !(lane_free(l) >> (i + LANE_SLOT_AT) & 1))
        i++;
    return i;
}

/* Find the slot of the next message, which is the last of those that wait then. */
static int offer(struct lane *l, unsigned row)
{
    struct lane_row *r = &l->row[row];
    u32 used = lane_used(l) >> sizes[row].at & ((1u << sizes[row].n) - 1);
    for (unsigned n = 0; n < r->n_waiting; n++)
        used &= ~(1u << r->waiting[n]);
    if (!used)
        return -EAGAIN;
    for (unsigned i = 0; i < sizes[row].n; i++) {
        const struct lane_slot *s = slot_of(l->theirs, row, i);
        if (!(used >> i & 1))
            continue;
        noc_invalidate_line(s);
        if (READ_ONCE(s->number) != r->next)
            continue;
        r->next += LANE_STEP;
        r->waiting[r->n_waiting++] = (u8)i;
        return 0;
    }
    return lane_lied(l);
}

static bool is_right(unsigned row, struct lane_message m)
{
    return m.kind == sizes[row].kind && m.to < LANE_PORTS && m.from < LANE_PORTS && m.size - 1u < sizes[row].data;
}

int lane_peek(struct lane *l, unsigned row, unsigned n, struct lane_message *m)
{
    int err = !l->up ? -EAGAIN : n == l->row[row].n_waiting ? offer(l, row) : 0;
    if (err)
        return err;
    const struct lane_slot *s = slot_of(l->theirs, row, l->row[row].waiting[n]);
    m->head = READ_ONCE(s->head);
    if (!is_right(row, *m))
        return lane_lied(l);
    for (size_t at = NOC_LINE; at < offsetof(struct lane_slot, data) + m->size; at += NOC_LINE)
        noc_invalidate_line((const char *)s + at);
    lane_read(l, s, m);
    return 0;
}

/* A peer that has found `ring` slots used or more waits for a ring. If none is left in its slot, the numbers of their
 * messages follow each other, and one of them is that for which this rings. Else the first one that is taken may be
 * what it waits for (tests/model/lane_slots.pml). */
void lane_leave(struct lane *l, unsigned row, unsigned n)
{
    l->seen.put |= LANE_LOOK_CLOSELY;
    if (n < l->row[row].n_left)
        return;
    l->row[row].n_left = (u8)(n + 1);
    lane_tell(l);
}

void lane_take(struct lane *l, unsigned row, unsigned n)
{
    struct lane_row *r = &l->row[row];
    unsigned i = r->waiting[n];
    bool due = !((READ_ONCE(slot_of(l->theirs, row, i)->number) / LANE_STEP + 1) % sizes[row].ring);
    bool left = n < r->n_left, held = --r->n_waiting;
    r->n_left -= left;
    if (held)
        memmove(&r->waiting[n], &r->waiting[n + 1], r->n_waiting - n);
    lane_publish(l, &l->ours->places.taken, l->own.taken ^= 1u << (i + sizes[row].at));
    if (due || left || held)
        lane_tell(l);
}

__cold bool lane_has_mail_of(const struct lane *l, u32 of)
{
    for (unsigned i = 0; i < LANE_SLOTS; i++) {
        const struct lane_slot *s = &l->theirs->slot[i];
        if (!(lane_used(l) >> (i + LANE_SLOT_AT) & 1))
            continue;
        noc_invalidate_line(s);
        if (READ_ONCE(s->of) == of)
            return true;
    }
    return false;
}
