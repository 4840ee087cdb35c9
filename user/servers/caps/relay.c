/* SPDX-License-Identifier: MIT */
/* relay.c - see relay.h. */
#include "relay.h"

#include <string.h>

static struct caps_child child_of(const struct caps_message *m, unsigned i)
{
    struct caps_child child;
    memcpy(&child, m->data + i * sizeof(child), sizeof(child));
    return child;
}

bool relay_begin(struct relays *r, unsigned asker, const struct caps_message *m, uint64_t proof)
{
    uint32_t awaited = 0;
    if (m->children > CAPS_CHILDREN)
        return false;
    for (unsigned i = 0; i < m->children; i++) {
        uint32_t node = child_of(m, i).node;
        if (node >= r->clusters || node == r->self || node == asker || awaited >> node & 1)
            return false;
        awaited |= 1u << node;
    }
    r->of[asker] = (struct relay){ true, m->part, m->slot, m->generation, awaited, proof };
    return true;
}

struct caps_message relay_question(const struct caps_message *m, unsigned i, unsigned *node)
{
    const struct caps_child child = child_of(m, i);
    *node = child.node;
    return (struct caps_message){ .magic = CAPS_MAGIC,
                                  .op = CAPS_ENDED,
                                  .part = m->part,
                                  .slot = m->slot,
                                  .generation = m->generation,
                                  .key = child.token };
}

static struct caps_message answer_of(const struct relay *p, bool done)
{
    return (struct caps_message){ .magic = CAPS_MAGIC,
                                  .op = CAPS_ENDED | CAPS_ANSWER,
                                  .result = done ? CAPS_DONE : CAPS_WRONG,
                                  .part = p->home,
                                  .slot = p->slot,
                                  .generation = p->generation,
                                  .nonce = done ? p->sum : 0 };
}

static bool is_of(const struct relay *p, unsigned node, const struct caps_message *m)
{
    return p->open && p->awaited >> node & 1 && p->home == m->part && p->slot == m->slot &&
           p->generation == m->generation;
}

unsigned relay_answered(struct relays *r, unsigned node, const struct caps_message *m, struct caps_message *answer)
{
    unsigned asker = 0;
    while (asker < r->clusters && !is_of(&r->of[asker], node, m))
        asker++;
    if (asker == r->clusters)
        return HOMES_CLUSTERS;
    struct relay *p = &r->of[asker];
    const bool done = m->result == CAPS_DONE;
    p->awaited &= ~(1u << node);
    p->sum ^= m->nonce;
    p->open = done && p->awaited;
    *answer = answer_of(p, done);
    return p->open ? HOMES_CLUSTERS : asker;
}

bool relay_end(struct relays *r, unsigned asker, const struct caps_message *m, bool done, struct caps_message *answer)
{
    struct relay *p = &r->of[asker];
    if (!done)
        *p = (struct relay){ false, m->part, m->slot, m->generation, 0, 0 };
    p->open = p->awaited;
    *answer = answer_of(p, done);
    return !p->open;
}
