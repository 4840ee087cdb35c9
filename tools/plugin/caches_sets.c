/* SPDX-License-Identifier: MIT */
/* caches_sets.c - a cache by sets: caches.h. tests/unit/test_caches.c compares it with lists. */
#include "caches.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (16ul << 20)

static bool is_power(uint64_t n) { return n && !(n & (n - 1)); }

/* What may stand behind the three numbers. */
static bool read_more(const char *words, struct cache_shape *to)
{
    char *end;
    while (*words) {
        if (!strncmp(words, ":around", 7)) {
            to->around = true;
            words += 7;
        } else if (!strncmp(words, ":ahead=", 7)) {
            unsigned long n = strtoul(words + 7, &end, 10);
            if (end == words + 7 || n > 16)
                return false;
            to->ahead = (unsigned)n;
            words = end;
        } else {
            return false;
        }
    }
    return true;
}

bool cache_shape_read(const char *words, struct cache_shape *to)
{
    char *end;
    uint64_t bytes = strtoul(words, &end, 10);
    *to = (struct cache_shape){ 0 };
    if (*end == 'K' || *end == 'M')
        bytes <<= *end++ == 'K' ? 10 : 20;
    if (*end != ':' || bytes > MOST_BYTES)
        return false;
    uint64_t ways = strtoul(end + 1, &end, 10);
    if (*end != ':' || !ways || ways > 1024)
        return false;
    uint64_t line = strtoul(end + 1, &end, 10);
    if (!is_power(line) || line < 8 || line > 4096 || bytes % (ways * line) || !is_power(bytes / (ways * line)))
        return false;
    to->sets = (unsigned)(bytes / (ways * line));
    to->ways = (unsigned)ways;
    to->line = (unsigned)line;
    return read_more(end, to);
}

bool cache_begin(struct cache *c, const struct cache_shape *shape)
{
    *c = (struct cache){ .shape = shape, .lines = calloc((size_t)shape->sets * shape->ways, sizeof(uint64_t)) };
    return c->lines != NULL;
}

static uint64_t *set_of(const struct cache *c, uint64_t number)
{
    return c->lines + (number & (c->shape->sets - 1)) * c->shape->ways;
}

/* Let a line be the most recently used of its set. Returns whether it was there; one that was not comes if `bring`. */
static bool use(struct cache *c, uint64_t number, bool bring)
{
    uint64_t *set = set_of(c, number), ways = c->shape->ways, at = 0;
    while (at < ways && set[at] != number + 1)
        at++;
    bool found = at < ways;
    if (!found && !bring)
        return false;
    memmove(set + 1, set, (found ? at : ways - 1) * sizeof(*set));
    set[0] = number + 1;
    return found;
}

bool cache_access(struct cache *c, uint64_t address, bool store)
{
    uint64_t number = address / c->shape->line;
    c->accesses++;
    bool bring = !(store && c->shape->around);
    if (use(c, number, bring) || !bring)
        return false;
    c->misses++;
    for (unsigned i = 1; i <= c->shape->ahead; i++)
        use(c, number + i, true);
    return true;
}

void cache_drop(struct cache *c, uint64_t address)
{
    uint64_t number = address / c->shape->line, *set = set_of(c, number);
    for (unsigned at = 0; at < c->shape->ways; at++)
        if (set[at] == number + 1) {
            memmove(set + at, set + at + 1, (c->shape->ways - at - 1) * sizeof(*set));
            set[c->shape->ways - 1] = 0;
            return;
        }
}

void cache_drop_all(struct cache *c)
{
    memset(c->lines, 0, (size_t)c->shape->sets * c->shape->ways * sizeof(*c->lines));
}
