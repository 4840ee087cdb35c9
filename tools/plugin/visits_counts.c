/* SPDX-License-Identifier: MIT */
/* visits_counts.c - see visits.h. */
#include "visits.h"

void counts_add(struct counts *c, uint64_t key, uint64_t cost)
{
    unsigned at = (unsigned)((key * 0x9e3779b97f4a7c15ull) >> 48) % COUNTS;
    for (unsigned tries = 0; tries < COUNTS; tries++, at = (at + 1) % COUNTS) {
        struct count *found = &c->of[at];
        if (found->key && found->key != key)
            continue;
        if (!found->n || cost < found->min)
            found->min = cost;
        if (cost > found->max)
            found->max = cost;
        found->key = key;
        found->n++;
        found->sum += cost;
        return;
    }
    c->lost++;
}

void counts_report(FILE *f, const char *what, const struct counts *c, bool two)
{
    for (const struct count *of = c->of; of < c->of + COUNTS; of++) {
        if (!of->key)
            continue;
        if (two)
            fprintf(f, "%s %08x %08x", what, (unsigned)(of->key >> 32), (unsigned)of->key);
        else
            fprintf(f, "%s %08x", what, (unsigned)of->key);
        fprintf(f, " %llu %llu %llu %llu\n", (unsigned long long)of->n, (unsigned long long)of->min,
                (unsigned long long)of->max, (unsigned long long)of->sum);
    }
}
