/* SPDX-License-Identifier: MIT */
/* clocks_flags.c - which words of memory are flags, and who stored to each last; see clocks.h. */
#include "clocks.h"

#include <stdlib.h>
#include <string.h>

#define RANGES 8

static struct range {
    uint64_t lo, hi;
    struct stamp *words;
} ranges[RANGES];
static unsigned n_ranges;

bool flags_given(void) { return n_ranges; }

struct stamp *flag_at(uint64_t at)
{
    for (const struct range *r = ranges; r < ranges + n_ranges; r++)
        if (at >= r->lo && at < r->hi)
            return &r->words[(at - r->lo) / 4];
    return NULL;
}

bool flag_option(const char *word)
{
    if (strncmp(word, "flag=", 5) != 0 || n_ranges == RANGES)
        return false;
    char *more;
    struct range *r = &ranges[n_ranges];
    r->lo = strtoull(word + 5, &more, 0);
    r->hi = *more == ':' ? strtoull(more + 1, NULL, 0) : 0;
    if (r->lo >= r->hi || r->lo % 4)
        return false;
    r->words = calloc((r->hi - r->lo + 3) / 4, sizeof(*r->words));
    n_ranges++;
    return r->words != NULL;
}
