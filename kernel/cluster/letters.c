/* SPDX-License-Identifier: MIT */
/*
 * letters.c - the pool of messages that have come and were not read yet.
 *
 * Each sending cluster may always have one in the pool; the rest of the pool is for all. A message for which there is
 * no room stays in its slot of the lane, where its reader finds it; nobody else is delayed. The pool is searched for
 * room once for all that wait there, until a message has left it.
 */
#include "letters.h"
#include "order.h"

#define POOL (NOC_CLUSTERS + 16u)

static struct letter pool[POOL];
static u32 latest;
static u32 refused; /* bits: clusters for which there was no room, and none has become free since */
static unsigned
    held; /* how many are used; the first free one is filled next, so a search may end after `held` used ones */

bool letters_late(unsigned port)
{
    for (unsigned i = 0; i < POOL; i++)
        if (pool[i].order && pool[i].late && pool[i].to == port)
            return true;
    return false;
}

void letters_take(struct letter *taken)
{
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        struct letter *l = &pool[i];
        seen += l->order != 0;
        l->late |= l->from_node == taken->from_node && l->order < taken->order;
    }
    taken->order = 0;
    held--;
    refused = 0;
}

void letters_overtaken(unsigned from)
{
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        seen += pool[i].order != 0;
        pool[i].late |= pool[i].from_node == from;
    }
}

/* Returns the place for a message of cluster `from`; NULL: it must wait. */
static struct letter *place(unsigned from)
{
    struct letter *place = NULL;
    u32 with = 0; /* bits: clusters that have a message in the pool */
    unsigned without = noc_clusters();
    for (unsigned i = 0, seen = 0; i < POOL && !(place && seen == held); i++) {
        if (!pool[i].order) {
            place = place ?: &pool[i];
            continue;
        }
        seen++;
        if (!(with >> pool[i].from_node & 1)) {
            with |= 1u << pool[i].from_node;
            without--;
        }
    }
    return !(with >> from & 1) || POOL - held > without ? place : NULL;
}

bool letters_keep(unsigned from, const struct lane_message *m)
{
    struct letter *l = refused >> from & 1 ? NULL : place(from);
    if (!l) {
        refused |= 1u << from;
        return false;
    }
    if (!letter_copy(l->data, m))
        return true;
    held++;
    l->order = latest = order_next(latest, &pool[0].order, sizeof(pool[0]), POOL);
    l->from_node = (u8)from;
    l->late = false;
    l->to = m->to;
    l->from = m->from;
    l->of = m->of;
    return true;
}

struct letter *letters_oldest(unsigned port, const struct letter_filter *wanted)
{
    struct letter *found = NULL;
    for (unsigned i = 0, seen = 0; i < POOL && seen < held; i++) {
        struct letter *l = &pool[i];
        seen += l->order != 0;
        bool fits = l->order && l->to == port && letter_is_wanted(wanted, l->from_node, l->from, l->of);
        if (fits && (!found || l->order < found->order))
            found = l;
    }
    return found;
}

__cold void letters_lose(unsigned node)
{
    for (unsigned i = 0; i < POOL; i++)
        if (pool[i].from_node == node)
            pool[i].of = LETTER_FORMER;
}

void letters_drop(unsigned port)
{
    for (unsigned i = 0; i < POOL; i++)
        if (pool[i].order && pool[i].to == port) {
            pool[i].order = 0;
            held--;
            refused = 0;
        }
}
