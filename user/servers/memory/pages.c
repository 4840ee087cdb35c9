/* SPDX-License-Identifier: MIT */
/* pages.c - see pages.h. */
#include "pages.h"

#include <stddef.h>
#include <string.h>

#define PORTS   16 /* of a cluster */
#define NO_LIFE 0

void pages_begin(struct pages *p, unsigned n, unsigned char *memory, struct page_owner *owner, unsigned clusters,
                 uint64_t life)
{
    memset(p, 0, sizeof(*p));
    memset(owner, 0, n * sizeof(*owner));
    p->n = n;
    p->life = life;
    p->memory = memory;
    p->owner = owner;
    p->share = (uint16_t)(n / clusters);
    for (unsigned page = n; page > 0; page--) {
        owner[page - 1].next = p->free;
        p->free = (uint16_t)page;
    }
}

static unsigned char *memory_of(struct pages *p, unsigned page) { return p->memory + (size_t)(page - 1) * MEMORY_PAGE; }

/* Returns the page's record if it is this client's, and notes that the client lives. */
static struct page_owner *owned(struct pages *p, unsigned node, const struct memory_message *m, uint64_t now)
{
    struct page_owner *o = m->page && m->page <= p->n ? &p->owner[m->page - 1] : NULL;
    struct page_client *c = o && o->used && o->node == node ? &p->client[node][o->client] : NULL;
    if (!c || c->number != m->client || c->life != m->life)
        return NULL;
    c->heard = now;
    return o;
}

/* Returns the record of a client that names pages of a life, if it has some of that life. One whose last page was given
 * back has it until another client takes its place. */
static const struct page_client *known(const struct pages *p, unsigned node, const struct memory_message *m)
{
    for (const struct page_client *c = p->client[node]; c < p->client[node] + PAGES_CLIENTS; c++)
        if (c->number == m->client && c->life == m->life)
            return c;
    return NULL;
}

static void release(struct pages *p, struct page_owner *o)
{
    o->used = false;
    o->next = p->free;
    p->free = (uint16_t)(o - p->owner + 1);
    p->has[o->node]--;
    p->client[o->node][o->client].has--;
}

/* Free the pages of a client of this cluster that has been silent for long. Each client is one once, so the search does
 * not become longer by whoever asks often. */
static void reclaim(struct pages *p, unsigned node, uint64_t now)
{
    for (unsigned k = 0; k < PAGES_CLIENTS; k++) {
        struct page_client *c = &p->client[node][k];
        if (!c->has || now - c->heard < PAGES_SILENT)
            continue;
        p->life++;
        c->life = NO_LIFE;
        for (unsigned i = 0; i < p->n; i++)
            if (p->owner[i].used && p->owner[i].node == node && p->owner[i].client == k)
                release(p, &p->owner[i]);
    }
}

/* Returns the place of a client among its cluster's, the one that it had if that is still free, or a free one, so that
 * no client has two records; PAGES_CLIENTS: there is none. */
static unsigned client_of(const struct pages *p, unsigned node, uint64_t number)
{
    unsigned place = PAGES_CLIENTS;
    for (unsigned k = 0; k < PAGES_CLIENTS; k++) {
        if (p->client[node][k].number == number)
            return k;
        if (!p->client[node][k].has)
            place = k;
    }
    return place;
}

/* Give a page again whose answer was lost: the same tag of a client has the same page. Returns false: it has none. */
static bool find_again(const struct pages *p, unsigned node, unsigned client, struct memory_message *m)
{
    for (unsigned i = 0; i < p->n; i++) {
        const struct page_owner *o = &p->owner[i];
        if (o->used && o->node == node && o->client == client && o->tag == m->tag) {
            m->page = (uint16_t)(i + 1);
            m->life = p->client[node][client].life;
            return true;
        }
    }
    return false;
}

static enum memory_result allocate(struct pages *p, unsigned node, struct memory_message *m, uint64_t now)
{
    unsigned client = client_of(p, node, m->client);
    if (p->has[node] >= p->share || client == PAGES_CLIENTS) {
        reclaim(p, node, now);
        client = client_of(p, node, m->client);
    }
    if (client < PAGES_CLIENTS && m->part && p->client[node][client].has && find_again(p, node, client, m))
        return MEMORY_DONE;
    if (client == PAGES_CLIENTS || p->has[node] >= p->share || !p->free)
        return MEMORY_FULL;
    struct page_owner *o = &p->owner[p->free - 1];
    struct page_client *c = &p->client[node][client];
    if (!c->has)
        c->life = p->life;
    m->page = p->free;
    m->life = c->life;
    p->free = o->next;
    p->has[node]++;
    c->has++;
    c->number = m->client;
    c->heard = now;
    *o = (struct page_owner){ .tag = m->tag, .node = (uint8_t)node, .client = (uint8_t)client, .used = true };
    memset(memory_of(p, m->page), 0, MEMORY_PAGE);
    return MEMORY_DONE;
}

static void move_part(struct pages *p, struct memory_message *m)
{
    size_t at = m->part * MEMORY_PART, left = MEMORY_PAGE - at, n = left < MEMORY_PART ? left : MEMORY_PART;
    unsigned char *there = memory_of(p, m->page) + at;
    memcpy(m->op == MEMORY_WRITE ? there : m->data, m->op == MEMORY_WRITE ? m->data : there, n);
}

int pages_serve(struct pages *p, unsigned node, struct memory_message *m, uint64_t now, const unsigned char **data)
{
    int answer = 1;
    if (m->magic != MEMORY_MAGIC || m->reply_port >= PORTS || node >= PAGES_CLUSTERS) {
        p->refused++;
        return 0;
    }
    struct page_owner *o = owned(p, node, m, now);
    enum memory_result result = MEMORY_NONE;
    if (m->op == MEMORY_ALLOC) {
        result = allocate(p, node, m, now);
    } else if (m->op < MEMORY_ALLOC || m->op > MEMORY_READ_PART || (m->op == MEMORY_READ && m->port >= PORTS) ||
               (m->op >= MEMORY_WRITE && m->part >= MEMORY_PARTS)) {
        result = MEMORY_WRONG;
    } else if (o) {
        result = MEMORY_DONE;
        if (m->op == MEMORY_FREE) {
            release(p, o);
        } else if (m->op >= MEMORY_WRITE) {
            move_part(p, m);
        } else {
            *data = memory_of(p, m->page);
            answer = 2;
        }
    }
    if (m->op == MEMORY_WRITE && m->part < MEMORY_PARTS - 1)
        answer = 0;
    if (result == MEMORY_NONE || m->op == MEMORY_FREE) {
        const struct page_client *c = known(p, node, m);
        if (result == MEMORY_NONE && !c && m->life != NO_LIFE)
            result = MEMORY_LOST;
        if (m->op == MEMORY_FREE)
            m->tag = c ? c->has : 0;
    }
    p->refused += result == MEMORY_WRONG || result == MEMORY_FULL;
    m->result = (uint8_t)result;
    m->client = 0;
    return answer;
}
