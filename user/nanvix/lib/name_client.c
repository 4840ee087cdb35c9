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

/* A name with zeros behind it. */
struct padded {
    uint64_t word[NAMES_WORDS];
};
_Static_assert(NAMES_WORDS == 8, "what is copied and cleared in line: memcpy() and memset() take thrice as long");

static inline __attribute__((always_inline)) void copy(uint64_t *to, const uint64_t *from)
{
    uint64_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7];
    to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
}

/* Returns false: it is no name. */
static inline bool pad(struct padded *padded, const char *name)
{
    uint64_t *word = padded->word;
    char *to = (char *)word;
    size_t n = 0;
    word[0] = word[1] = word[2] = word[3] = word[4] = word[5] = word[6] = word[7] = 0;
    for (; name && n <= NAMES_MOST && name[n]; n++)
        to[n] = name[n];
    return n && n <= NAMES_MOST;
}

/* Make a request. */
static inline void fill(const struct name_client *c, enum names_op op, const struct padded *name, union name_room *room)
{
    struct names_message *m = &room->message;
    copy(m->name, name->word);
    m->magic = NAMES_MAGIC;
    m->op = (uint8_t)op;
    m->reply_port = m->result = m->joining = 0;
    m->nonce = 0;
    m->value = c->node;
    m->client = op == NAMES_LOOKUP ? 0 : c->secret;
    uint64_t *rest = room->words + sizeof(*m) / sizeof(uint64_t);
    rest[0] = rest[1] = rest[2] = rest[3] = rest[4] = 0;
}
_Static_assert(sizeof(union name_room) - sizeof(struct names_message) == 5 * sizeof(uint64_t), "what fill() clears");

static inline bool ask(const struct name_client *c, unsigned server, enum names_op op, const struct padded *name,
                       union name_room *room)
{
    fill(c, op, name, room);
    return name_ask(server, room, true);
}

/* Ask one server to link a name, and count its answer. */
static void link_at(const struct name_client *c, unsigned server, const struct padded *name, struct votes *v)
{
    union name_room room;
    const struct names_message *m = &room.message;
    if (!ask(c, server, NAMES_LINK, name, &room))
        return;
    v->granted += m->result == NAMES_DONE && !m->joining;
    v->taken += m->result == NAMES_TAKEN;
    v->full += m->result == NAMES_FULL;
}

static unsigned unlink_at_all(const struct name_client *c, unsigned servers, const struct padded *name)
{
    union name_room room;
    unsigned done = 0;
    for (unsigned s = 0; s < servers; s++)
        done += ask(c, s, NAMES_UNLINK, name, &room) && !room.message.joining;
    return done;
}

static struct name_own *own_of(struct name_client *c, const struct padded *name)
{
    for (unsigned i = 0; i < NAME_OWN; i++)
        if (c->own[i].links && !memcmp(c->own[i].name, name->word, sizeof(c->own[i].name)))
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
static enum name_outcome win(const struct name_client *c, const struct padded *name)
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
    struct padded padded;
    if (!pad(&padded, name))
        return NAME_WRONG;
    struct name_own *own = own_of(c, &padded);
    if (own) {
        own->links++;
        return NAME_OK;
    }
    own = free_place(c);
    enum name_outcome outcome = own ? win(c, &padded) : NAME_FULL;
    if (outcome == NAME_OK) {
        memcpy(own->name, padded.word, sizeof(padded));
        own->links = 1;
    }
    return outcome;
}

enum name_outcome name_client_unlink(struct name_client *c, const char *name)
{
    struct padded padded;
    if (!pad(&padded, name))
        return NAME_WRONG;
    struct name_own *own = own_of(c, &padded);
    if (!own)
        return NAME_UNKNOWN;
    if (--own->links)
        return NAME_OK;
    name_client_forget(c, name);
    return unlink_at_all(c, c->servers, &padded) >= majority(c) ? NAME_OK : NAME_NOBODY;
}

enum name_outcome name_client_beat(struct name_client *c)
{
    enum name_outcome worst = NAME_OK;
    for (unsigned i = 0; i < NAME_OWN; i++) {
        struct votes v = { 0 };
        struct padded name;
        if (!c->own[i].links)
            continue;
        memcpy(name.word, c->own[i].name, sizeof(name));
        for (unsigned s = 0; s < c->servers; s++)
            link_at(c, s, &name, &v);
        if (v.granted >= majority(c))
            continue;
        if (v.taken >= majority(c))
            c->own[i].links = 0;
        worst = v.taken >= majority(c) ? NAME_TAKEN : worst == NAME_TAKEN ? worst : NAME_NOBODY;
    }
    return worst;
}

/* The place in the cache for a name. */
static inline __attribute__((always_inline)) unsigned place_of(const char *name)
{
    unsigned h = 0;
    for (const char *p = name; *p && p < name + NAMES_MOST; p++)
        h = h * 5 + (unsigned char)*p;
    return h % NAME_CACHE;
}

/* Change what is remembered at a place: `until` 0 forgets it. Who reads it meanwhile sees that it changes. */
static void remember(struct name_cached *cached, const struct padded *name, int node, uint64_t until)
{
    uint32_t changes = cached->changes;
    __atomic_store_n(&cached->changes, changes + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (name)
        copy(cached->name, name->word);
    cached->node = node;
    cached->until = until;
    __atomic_store_n(&cached->changes, changes + 2, __ATOMIC_RELEASE);
}

void name_client_begin(struct name_client *c, unsigned servers, unsigned node, uint64_t secret)
{
    for (unsigned i = 0; i < NAME_CACHE; i++)
        remember(&c->cached[i], NULL, 0, 0);
    memset(c->own, 0, sizeof(c->own));
    c->servers = servers;
    c->node = node;
    c->secret = secret;
}

void name_client_forget(struct name_client *c, const char *name)
{
    struct name_cached *cached = &c->cached[place_of(name)];
    if (!strcmp((const char *)cached->name, name))
        remember(cached, NULL, 0, 0);
}

int name_client_recall(const struct name_client *c, const char *name, uint64_t now)
{
    const struct name_cached *cached = &c->cached[place_of(name)];
    uint32_t changes = __atomic_load_n(&cached->changes, __ATOMIC_ACQUIRE);
    const char *a = (const char *)cached->name, *b = name;
    while (*a && *a == *b) /* a name that is changed meanwhile still ends in its place */
        a++, b++;
    bool here = *a == *b && now < cached->until;
    int node = cached->node;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return here && !(changes & 1) && __atomic_load_n(&cached->changes, __ATOMIC_RELAXED) == changes ? node
                                                                                                    : NAME_UNKNOWN;
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
static int ask_each(const struct name_client *c, const struct padded *name, struct tally *t, bool patient)
{
    union name_room room;
    int outcome = NAME_NOBODY;
    for (unsigned s = 0; s < c->servers && outcome == NAME_NOBODY; s++) {
        if (t->answered >> s & 1)
            continue;
        fill(c, NAMES_LOOKUP, name, &room);
        if (!name_ask(s, &room, patient))
            continue;
        t->answered |= 1u << s;
        outcome = count(c, t, &room.message);
    }
    return outcome;
}

/* Returns the cluster that a majority names, or an error. One of several servers that is late is waited for only if the
 * others cannot say it. */
static int ask_majority(const struct name_client *c, const struct padded *name)
{
    struct tally t = { 0 };
    int outcome = c->servers > 1 ? ask_each(c, name, &t, false) : NAME_NOBODY;
    return outcome == NAME_NOBODY ? ask_each(c, name, &t, true) : outcome;
}

int name_client_lookup(struct name_client *c, const char *name, uint64_t now)
{
    struct padded padded;
    if (!pad(&padded, name))
        return NAME_WRONG;
    int node = ask_majority(c, &padded);
    if (node >= 0)
        remember(&c->cached[place_of(name)], &padded, node, now + LEASE_NS / 2);
    return node;
}
