/* SPDX-License-Identifier: MIT */
/* copies.c - see copies.h. */
#include "copies.h"

#include <string.h>

void copies_begin(struct copies *c, unsigned clients, unsigned char *memory)
{
    memset(c, 0, sizeof(*c));
    c->clients = clients;
    for (unsigned i = 0; i < COPIES; i++)
        c->copy[i].memory = memory + (size_t)i * CAPS_PAGE;
}

int copies_new(struct copies *c, unsigned client, const struct caps *cap)
{
    unsigned has = 0, share = COPIES / c->clients;
    struct copy *found = NULL;
    for (struct copy *p = c->copy; p < c->copy + COPIES; p++) {
        has += p->state != COPY_FREE && p->client == client;
        if (p->state == COPY_FREE && !found)
            found = p;
    }
    if (!found || has >= (share ? share : 1))
        return -AMALGAM_ENOMEM;
    found->state = COPY_FILLED;
    found->client = client;
    found->cap = *cap;
    found->sealed = false;
    found->has = 0;
    return (int)(found - c->copy);
}

struct copy *copies_of(struct copies *c, unsigned client, uint32_t id)
{
    struct copy *p = id < COPIES ? &c->copy[id] : NULL;
    return p && p->state != COPY_FREE && p->client == client ? p : NULL;
}

/* Note that it was revoked. Returns whether it has to be hidden. */
static bool end(struct copy *p)
{
    bool shown = p->state == COPY_SHOWN;
    if (p->state != COPY_FREE)
        p->state = COPY_ENDED;
    return shown;
}

/* A cluster's messages come in their order. So the generation of one that is shown was the slot's before, and one that
 * is being filled may be of a later one. */
static bool is_over(const struct copy *p, uint32_t generation)
{
    return p->state == COPY_FILLED ? p->cap.generation < generation : p->cap.generation != generation;
}

unsigned copies_revoked(struct copies *c, unsigned home, uint32_t slot, uint32_t generation, const uint64_t *seal,
                        struct copy *hide[COPIES])
{
    unsigned n = 0;
    for (struct copy *p = c->copy; p < c->copy + COPIES; p++)
        if (p->cap.home == home && p->cap.slot == slot && is_over(p, generation) &&
            (!seal || (p->sealed && p->seal == *seal)) && end(p))
            hide[n++] = p;
    return n;
}

void copies_sealed(struct copies *c, unsigned home, const struct caps_message *m)
{
    const unsigned word = m->part % 2;
    for (struct copy *p = c->copy; p < c->copy + COPIES; p++)
        if (p->state == COPY_FILLED && p->cap.home == home && p->cap.slot == m->slot &&
            p->cap.generation == m->generation) {
            p->sealed = true;
            p->seal = m->seal;
            p->has |= 1u << word;
            p->words[word] = m->key;
        }
}

/* Returns one that has both words, of which the first is `token`; NULL: none has. */
static const struct copy *with_token(const struct copies *c, unsigned home, uint32_t slot, uint64_t token)
{
    for (const struct copy *p = c->copy; p < c->copy + COPIES; p++)
        if (p->has == 3 && p->words[0] == token && p->cap.home == home && p->cap.slot == slot)
            return p;
    return NULL;
}

bool copies_prove(const struct copies *c, unsigned home, uint32_t slot, uint64_t token, uint64_t *proof)
{
    const struct copy *p = with_token(c, home, slot, token);
    if (p)
        *proof = p->words[1];
    return p;
}

unsigned copies_ended(struct copies *c, unsigned home, uint32_t slot, uint64_t token, struct copy *hide[COPIES])
{
    const struct copy *of = with_token(c, home, slot, token);
    const uint32_t generation = of ? of->cap.generation : 0;
    unsigned n = 0;
    for (struct copy *p = c->copy; of && p < c->copy + COPIES; p++)
        if (p->has == 3 && p->cap.home == home && p->cap.slot == slot && p->cap.generation == generation) {
            p->has = 0;
            if (end(p))
                hide[n++] = p;
        }
    return n;
}

unsigned copies_lost(struct copies *c, unsigned home, struct copy *hide[COPIES])
{
    unsigned n = 0;
    for (struct copy *p = c->copy; p < c->copy + COPIES; p++)
        if (p->cap.home == home && end(p))
            hide[n++] = p;
    return n;
}
