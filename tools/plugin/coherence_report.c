/* SPDX-License-Identifier: MIT */
/*
 * coherence_report.c - counts reports with the same kind, core, instruction, other core and other instruction. A fault
 * in a loop gets one line with a count. The lines are in the order of their first occurrence:
 *
 *   WHAT COUNT CORE PC ADDRESS OTHER OTHER-PC INSTRUCTION
 *
 * ADDRESS (physical) and INSTRUCTION (the count of all cores' instructions) are those of the first occurrence.
 */
#include "coherence.h"

#define PLACES 4096

static struct place {
    const char *what;
    uint64_t count, pc, at, other_pc, when;
    unsigned core, other;
} places[PLACES];
static unsigned n_places;
static uint64_t more, total;

void report(const char *what, unsigned core, uint64_t pc, uint64_t at, unsigned other, uint64_t other_pc)
{
    total++;
    for (unsigned i = 0; i < n_places; i++) {
        struct place *p = &places[i];
        if (p->pc == pc && p->other_pc == other_pc && p->core == core && p->other == other && !strcmp(p->what, what)) {
            p->count++;
            return;
        }
    }
    if (n_places == PLACES)
        more++;
    else
        places[n_places++] = (struct place){ what, 1, pc, at, other_pc, clock_all, core, other };
}

uint64_t report_write(FILE *out)
{
    for (unsigned i = 0; i < n_places; i++) {
        const struct place *p = &places[i];
        fprintf(out, "%s %" PRIu64 " %u %#" PRIx64 " %#" PRIx64 " %u %#" PRIx64 " %" PRIu64 "\n", p->what, p->count,
                p->core, p->pc, p->at, p->other, p->other_pc, p->when);
    }
    if (more)
        fprintf(out, "more %" PRIu64 "\n", more);
    return total;
}
