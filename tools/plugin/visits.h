/* SPDX-License-Identifier: MIT */
/* visits.h - tables of what the plugin `visits` counts: how often, and the least, the most and the sum of what it took.
 */
#ifndef AMALGAM_PLUGIN_VISITS_H
#define AMALGAM_PLUGIN_VISITS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COUNTS 65536 /* distinct keys */

struct counts {
    struct count {
        uint64_t key; /* two addresses, the first one << 32; 0: free */
        uint64_t n, min, max, sum;
    } of[COUNTS];
    uint64_t lost; /* without a place in the table */
};

void counts_add(struct counts *c, uint64_t key, uint64_t cost);
/* Write a line for each key, that begins with `what`. `two`: the key is two addresses. */
void counts_report(FILE *f, const char *what, const struct counts *c, bool two);

#endif
