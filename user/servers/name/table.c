/* SPDX-License-Identifier: MIT */
/* table.c - see table.h. */
#include "table.h"

#include <string.h>

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull
#define PORTS 16 /* of a cluster */

void names_begin(struct names_table *t, unsigned clusters, uint64_t seed, uint64_t now, bool first)
{
    memset(t, 0, sizeof(*t));
    for (unsigned i = NAMES_TABLE; i-- > 0;) {
        t->entry[i].next = t->free;
        t->free = &t->entry[i];
    }
    t->seed = seed;
    t->share = (uint16_t)(NAMES_TABLE / clusters);
    t->joined_at = first ? now : now + NAMES_JOIN_NS;
}

/* Returns whether it is 1 to NAMES_MOST bytes other than 0, then zeros only. */
static bool is_name(const uint64_t *name)
{
    const uint64_t *end = name + NAMES_WORDS, *at = name;
    uint64_t zeros, behind;
    do {
        uint64_t w = *at++;
        zeros = (w - ONES) & ~w & HIGHS; /* the lowest bit set is that of the first zero byte */
        behind = w & ~((zeros & -zeros) - 1);
    } while (!zeros && at < end);
    while (at < end)
        behind |= *at++;
    return zeros && !behind && name[0];
}

static struct names_entry **bucket_of(struct names_table *t, const uint64_t *name)
{
    uint64_t h = t->seed;
    for (unsigned i = 0; i < NAMES_WORDS && name[i]; i++)
        h = (h ^ name[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    return &t->bucket[(h >> 32) % NAMES_BUCKETS];
}

/* Free *at, which is in its bucket. */
static void drop(struct names_table *t, struct names_entry **at)
{
    struct names_entry *e = *at;
    *at = e->next;
    t->has[e->node]--;
    e->next = t->free;
    t->free = e;
}

/* Both are names, so they are equal up to the first word of zeros or not at all. memcmp() would look at all bytes. */
static bool is_same(const uint64_t *a, const uint64_t *b)
{
    unsigned i = 0;
    while (i < NAMES_WORDS - 1 && a[i] == b[i] && a[i])
        i++;
    return a[i] == b[i];
}

/* Returns the place in its bucket of the entry with this name whose lease has not ended; of none the bucket's end.
 * Frees those that it passes whose lease has ended. */
static struct names_entry **find(struct names_table *t, const uint64_t *name, uint64_t now)
{
    struct names_entry **at = bucket_of(t, name);
    while (*at) {
        struct names_entry *e = *at;
        if (e->until <= now)
            drop(t, at);
        else if (is_same(e->name, name))
            break;
        else
            at = &e->next;
    }
    return at;
}

/* Free all whose lease has ended. */
static void sweep(struct names_table *t, uint64_t now)
{
    for (unsigned i = 0; i < NAMES_BUCKETS; i++)
        for (struct names_entry **at = &t->bucket[i]; *at;) {
            if ((*at)->until <= now)
                drop(t, at);
            else
                at = &(*at)->next;
        }
}

static struct names_entry *take_free(struct names_table *t, unsigned node, uint64_t now)
{
    if (t->has[node] == t->share)
        sweep(t, now);
    struct names_entry *e = t->has[node] < t->share ? t->free : NULL;
    if (!e)
        return NULL;
    t->free = e->next;
    t->has[node]++;
    return e;
}

static enum names_result link_name(struct names_table *t, unsigned node, const struct names_message *m, uint64_t now)
{
    if (m->value != node)
        return NAMES_WRONG;
    struct names_entry *e = *find(t, m->name, now);
    if (e && (e->node != node || e->client != m->client))
        return NAMES_TAKEN;
    if (!e) {
        e = take_free(t, node, now);
        if (!e)
            return NAMES_FULL;
        struct names_entry **at = bucket_of(t, m->name);
        memcpy(e->name, m->name, sizeof(e->name));
        e->node = (uint8_t)node;
        e->client = m->client;
        e->next = *at;
        *at = e;
    }
    e->until = now + NAMES_LEASE_NS;
    return NAMES_DONE;
}

static enum names_result unlink_name(struct names_table *t, unsigned node, const struct names_message *m, uint64_t now)
{
    struct names_entry **at = find(t, m->name, now);
    if (!*at || (*at)->node != node || (*at)->client != m->client)
        return NAMES_UNKNOWN;
    drop(t, at);
    return NAMES_DONE;
}

static enum names_result look_up(struct names_table *t, struct names_message *m, uint64_t now)
{
    const struct names_entry *e = *find(t, m->name, now);
    m->value = e ? e->node : 0;
    return e ? NAMES_DONE : NAMES_UNKNOWN;
}

static enum names_result carry_out(struct names_table *t, unsigned node, struct names_message *m, uint64_t now)
{
    if (!is_name(m->name))
        return NAMES_WRONG;
    switch (m->op) {
    case NAMES_LINK: return link_name(t, node, m, now);
    case NAMES_UNLINK: return unlink_name(t, node, m, now);
    case NAMES_LOOKUP: return look_up(t, m, now);
    default: return NAMES_WRONG;
    }
}

bool names_serve(struct names_table *t, unsigned node, struct names_message *m, uint64_t now)
{
    if (m->magic != NAMES_MAGIC || m->reply_port >= PORTS || node >= NAMES_CLUSTERS) {
        t->refused++;
        return false;
    }
    enum names_result result = carry_out(t, node, m, now);
    t->refused += result == NAMES_WRONG || result == NAMES_FULL;
    m->result = (uint8_t)result;
    m->joining = now < t->joined_at;
    m->client = 0;
    return true;
}

unsigned names_count(const struct names_table *t)
{
    unsigned n = 0;
    for (unsigned i = 0; i < NAMES_CLUSTERS; i++)
        n += t->has[i];
    return n;
}
