/* SPDX-License-Identifier: MIT */
/* name_client.c - see name_client.h. */
#include "name_client.h"

#include <string.h>

#define LEASE_NS (NAMES_LEASE_MS * 1000000ull)

/* What the servers have answered. */
struct votes {
    unsigned granted, taken, full, unknown;
};

static unsigned majority(const struct name_client *c) { return c->servers / 2 + 1; }

/* Returns false: it is no name. */
static bool pad(uint64_t *padded, const char *name)
{
    size_t n = name ? strnlen(name, NAMES_MOST + 1) : 0;
    if (!n || n > NAMES_MOST)
        return false;
    memset(padded, 0, NAMES_WORDS * sizeof(*padded));
    memcpy(padded, name, n);
    return true;
}

static void fill(const struct name_client *c, enum names_op op, const uint64_t *name, struct names_message *m)
{
    memset(m, 0, sizeof(*m));
    m->op = (uint8_t)op;
    m->value = c->node;
    m->client = op == NAMES_LOOKUP ? 0 : c->secret;
    memcpy(m->name, name, sizeof(m->name));
}

static bool ask(const struct name_client *c, unsigned server, enum names_op op, const uint64_t *name,
                struct names_message *m)
{
    fill(c, op, name, m);
    return name_ask(server, m, true);
}

/* Ask one server to link a name, and count its answer. */
static void link_at(const struct name_client *c, unsigned server, const uint64_t *name, struct votes *v)
{
    struct names_message m;
    if (!ask(c, server, NAMES_LINK, name, &m))
        return;
    v->granted += m.result == NAMES_DONE && !m.joining;
    v->taken += m.result == NAMES_TAKEN;
    v->full += m.result == NAMES_FULL;
}

static unsigned unlink_at_all(const struct name_client *c, unsigned servers, const uint64_t *name)
{
    struct names_message m;
    unsigned done = 0;
    for (unsigned s = 0; s < servers; s++)
        done += ask(c, s, NAMES_UNLINK, name, &m) && !m.joining;
    return done;
}

static struct name_own *own_of(struct name_client *c, const uint64_t *name)
{
    for (unsigned i = 0; i < NAME_OWN; i++)
        if (c->own[i].links && !memcmp(c->own[i].name, name, sizeof(c->own[i].name)))
            return &c->own[i];
    return NULL;
}

static struct name_own *free_place(struct name_client *c)
{
    for (unsigned i = 0; i < NAME_OWN; i++)
        if (!c->own[i].links)
            return &c->own[i];
    return NULL;
}

/* The servers are asked in one order by all, so of two that want a name one is refused at the first server. A link that
 * took long is none: a server may have begun again meanwhile, and count by now without having the name. */
static enum name_outcome win(const struct name_client *c, const uint64_t *name)
{
    struct votes v = { 0 };
    uint64_t start = name_now();
    unsigned asked = 0;
    while (asked < c->servers && !v.taken && !v.full)
        link_at(c, asked++, name, &v);
    if (!v.taken && !v.full && v.granted >= majority(c) && name_now() - start < LEASE_NS / 2)
        return NAME_OK;
    unlink_at_all(c, asked, name);
    return v.taken ? NAME_TAKEN : v.full ? NAME_FULL : NAME_NOBODY;
}

enum name_outcome name_client_link(struct name_client *c, const char *name)
{
    uint64_t padded[NAMES_WORDS];
    if (!pad(padded, name))
        return NAME_WRONG;
    struct name_own *own = own_of(c, padded);
    if (own) {
        own->links++;
        return NAME_OK;
    }
    own = free_place(c);
    enum name_outcome outcome = own ? win(c, padded) : NAME_FULL;
    if (outcome == NAME_OK) {
        memcpy(own->name, padded, sizeof(padded));
        own->links = 1;
    }
    return outcome;
}

enum name_outcome name_client_unlink(struct name_client *c, const char *name)
{
    uint64_t padded[NAMES_WORDS];
    if (!pad(padded, name))
        return NAME_WRONG;
    struct name_own *own = own_of(c, padded);
    if (!own)
        return NAME_UNKNOWN;
    if (--own->links)
        return NAME_OK;
    name_client_forget(c, name);
    return unlink_at_all(c, c->servers, padded) >= majority(c) ? NAME_OK : NAME_NOBODY;
}

enum name_outcome name_client_beat(struct name_client *c)
{
    enum name_outcome worst = NAME_OK;
    for (unsigned i = 0; i < NAME_OWN; i++) {
        struct votes v = { 0 };
        if (!c->own[i].links)
            continue;
        for (unsigned s = 0; s < c->servers; s++)
            link_at(c, s, c->own[i].name, &v);
        if (v.granted >= majority(c))
            continue;
        if (v.taken >= majority(c))
            c->own[i].links = 0;
        worst = v.taken >= majority(c) ? NAME_TAKEN : worst == NAME_TAKEN ? worst : NAME_NOBODY;
    }
    return worst;
}

/* The place in the cache for a name. */
static struct name_cached *cached_of(struct name_client *c, const char *name)
{
    unsigned h = 0;
    for (const char *p = name; *p && p < name + NAMES_MOST; p++)
        h = h * 5 + (unsigned char)*p;
    return &c->cached[h % NAME_CACHE];
}

void name_client_forget(struct name_client *c, const char *name)
{
    struct name_cached *cached = cached_of(c, name);
    if (!strcmp(cached->name, name))
        cached->until = 0;
}

/* What servers have said of a name. */
struct tally {
    unsigned answered; /* bits */
    unsigned unknown, kinds, votes[NAMES_SERVERS];
    uint32_t said[NAMES_SERVERS];
};

/* Count an answer. Returns what a majority says, or NAME_NOBODY. */
static int count(const struct name_client *c, struct tally *t, const struct names_message *m)
{
    unsigned k = 0;
    if (m->joining)
        return NAME_NOBODY;
    if (m->result == NAMES_UNKNOWN)
        return ++t->unknown >= majority(c) ? NAME_UNKNOWN : NAME_NOBODY;
    if (m->result != NAMES_DONE)
        return NAME_NOBODY;
    while (k < t->kinds && t->said[k] != m->value)
        k++;
    t->kinds += k == t->kinds;
    t->said[k] = m->value;
    return ++t->votes[k] >= majority(c) ? (int)m->value : NAME_NOBODY;
}

/* Ask those that have not answered, until a majority says something. */
static int ask_each(const struct name_client *c, const uint64_t *name, struct tally *t, bool patient)
{
    struct names_message m;
    int outcome = NAME_NOBODY;
    for (unsigned s = 0; s < c->servers && outcome == NAME_NOBODY; s++) {
        if (t->answered >> s & 1)
            continue;
        fill(c, NAMES_LOOKUP, name, &m);
        if (!name_ask(s, &m, patient))
            continue;
        t->answered |= 1u << s;
        outcome = count(c, t, &m);
    }
    return outcome;
}

/* Returns the cluster that a majority names, or an error. One of several servers that is late is waited for only if the
 * others cannot say it. */
static int ask_majority(const struct name_client *c, const uint64_t *name)
{
    struct tally t = { 0 };
    int outcome = c->servers > 1 ? ask_each(c, name, &t, false) : NAME_NOBODY;
    return outcome == NAME_NOBODY ? ask_each(c, name, &t, true) : outcome;
}

/* Ask, and remember the answer. Out of line: a name that is remembered has not to save registers for it. */
static __attribute__((noinline)) int ask_and_remember(const struct name_client *c, const char *name,
                                                      struct name_cached *cached, uint64_t now)
{
    uint64_t padded[NAMES_WORDS];
    if (!pad(padded, name))
        return NAME_WRONG;
    int node = ask_majority(c, padded);
    if (node >= 0) {
        memcpy(cached->name, padded, sizeof(cached->name));
        cached->node = node;
        cached->until = now + LEASE_NS / 2;
    }
    return node;
}

int name_client_lookup(struct name_client *c, const char *name)
{
    if (!name)
        return NAME_WRONG;
    struct name_cached *cached = cached_of(c, name);
    uint64_t now = name_now();
    if (now < cached->until && !strcmp(cached->name, name))
        return cached->node;
    return ask_and_remember(c, name, cached, now);
}
