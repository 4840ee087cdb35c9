/* SPDX-License-Identifier: MIT */
/* homes.c - see homes.h. */
#include "homes.h"

#include <string.h>

#define RIGHTS (CAPS_READ | CAPS_WRITE)

void homes_begin(struct homes *h, unsigned self, unsigned clusters, unsigned clients, unsigned char *memory,
                 uint64_t (*draw)(void))
{
    memset(h, 0, sizeof(*h));
    h->self = self;
    h->clusters = clusters;
    h->clients = clients;
    h->draw = draw;
    for (unsigned i = 0; i < HOMES; i++) {
        h->home[i].memory = memory + (size_t)i * CAPS_PAGE;
        h->home[i].generation = (uint32_t)draw() >> 1; /* so that many are left */
    }
}

static void next_generation(struct homes *h, struct home *s)
{
    s->generation += s->generation != HOMES_SPENT;
    s->key = h->draw();
    s->sent = 0;
    memset(s->granted, 0, sizeof(s->granted));
}

int homes_create(struct homes *h, unsigned client)
{
    unsigned has = 0, share = HOMES / h->clients;
    struct home *found = NULL;
    for (struct home *s = h->home; s < h->home + HOMES; s++) {
        has += s->used && s->client == client;
        if (!s->used && s->generation != HOMES_SPENT && !found)
            found = s;
    }
    if (!found || has >= (share ? share : 1))
        return -AMALGAM_ENOMEM;
    next_generation(h, found);
    if (found->generation == HOMES_SPENT)
        return -AMALGAM_ENOMEM;
    found->used = true;
    found->client = client;
    found->owing = 0;
    found->seal = h->draw();
    memset(found->memory, 0, CAPS_PAGE);
    return (int)(found - h->home);
}

static struct home *of_client(struct homes *h, unsigned client, uint32_t slot)
{
    struct home *s = slot < HOMES ? &h->home[slot] : NULL;
    return s && s->used && s->client == client ? s : NULL;
}

int homes_grant(struct homes *h, unsigned client, uint32_t slot, uint32_t node, uint32_t rights, struct caps *cap)
{
    struct home *s = of_client(h, client, slot);
    if (!s || s->generation == HOMES_SPENT)
        return -AMALGAM_EBADF;
    if (node >= h->clusters || node == h->self || !rights || rights & ~RIGHTS)
        return -AMALGAM_EINVAL;
    s->granted[node] |= (uint8_t)rights;
    *cap = (struct caps){ h->self, slot, s->generation, rights, s->key };
    return 0;
}

int homes_revoke(struct homes *h, unsigned client, uint32_t slot, uint32_t *told)
{
    struct home *s = of_client(h, client, slot);
    if (!s)
        return -AMALGAM_EBADF;
    s->ending = s->sent & ~s->owing; /* of the others a copy may be left of a generation before */
    *told = s->owing |= s->sent;
    next_generation(h, s);
    return 0;
}

uint32_t homes_told(struct homes *h, uint32_t slot, uint32_t silent) { return h->home[slot].owing &= silent; }

void homes_free(struct homes *h, uint32_t slot) { h->home[slot].used = false; }

void homes_lost(struct homes *h, unsigned node)
{
    for (struct home *s = h->home; s < h->home + HOMES; s++) {
        s->granted[node] = 0;
        s->sent &= ~(1u << node);
        s->owing &= ~(1u << node);
    }
}

static enum caps_result check(const struct homes *h, unsigned node, const struct caps_message *m, unsigned right)
{
    const struct home *s = m->slot < HOMES ? &h->home[m->slot] : NULL;
    if (!s || m->part >= CAPS_PARTS)
        return CAPS_WRONG;
    if (!s->used || s->generation == HOMES_SPENT || m->generation != s->generation)
        return CAPS_STALE;
    return m->key == s->key && s->granted[node] & right ? CAPS_DONE : CAPS_REFUSED;
}

bool homes_answer(struct homes *h, unsigned node, struct caps_message *m)
{
    bool reads = m->op == CAPS_READ_PART;
    if (node >= h->clusters || m->magic != CAPS_MAGIC || (!reads && m->op != CAPS_WRITE_PART))
        return false;
    m->result = (uint8_t)check(h, node, m, reads ? CAPS_READ : CAPS_WRITE);
    m->op |= CAPS_ANSWER;
    m->key = m->seal = 0;
    if (m->result == CAPS_STALE)
        m->generation = h->home[m->slot].generation;
    if (m->result != CAPS_DONE) {
        memset(m->data, 0, sizeof(m->data));
        return true;
    }
    struct home *s = &h->home[m->slot];
    unsigned char *part = s->memory + m->part * CAPS_PART;
    const size_t size = amalgam_caps_part_size(m->part);
    if (!reads) {
        memcpy(h->former, part, size);
        memcpy(part, m->data, size);
    }
    memset(m->data, 0, sizeof(m->data));
    if (reads) {
        if (!(s->sent >> node & 1)) {
            s->token[node] = h->draw();
            s->proof[node] = h->draw();
        }
        s->sent |= 1u << node; /* before anything is */
        m->seal = s->seal;
        m->key = m->part % 2 ? s->proof[node] : s->token[node];
        memcpy(m->data, part, size);
    }
    return true;
}

void homes_put_back(struct homes *h, const struct caps_message *answer)
{
    if (answer->op == (CAPS_WRITE_PART | CAPS_ANSWER) && answer->result == CAPS_DONE)
        memcpy(h->home[answer->slot].memory + answer->part * CAPS_PART, h->former,
               amalgam_caps_part_size(answer->part));
}
