/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - a process in a ring of tunnels in which numbered messages go round while members die
 * (guests/include/numbers.h). arguments: [numbers, SIDE0, SIDE1], its halves of its two tunnels. A guest at the other
 * end orders it to die: k by a bad pointer, h by doing nothing any more, which its watchdog sees. Two lines a second
 * say how far it is; one with WRONG says what must not be.
 */
#include <amalgam/tunnel.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../guests/include/numbers.h"

#define PROGRAM "numbers"
#include "../../user/programs/must.h"

#define MS   1000000ull
#define ENDS 2

static struct numbers ends[ENDS];
static uint64_t sent_at[ENDS];

static void obey(char what)
{
    static volatile int *volatile nowhere;
    if (what == 'k')
        *nowhere = 1;
    while (what == 'h')
        amalgam_sleep_until(AMALGAM_NEVER);
}

static void work(unsigned i)
{
    struct numbers *n = &ends[i];
    uint64_t now = amalgam_clock();
    bool told = numbers_take(n);
    if (numbers_send(n, now - sent_at[i] > 50 * MS)) {
        sent_at[i] = now;
        told = true;
    }
    if (told)
        amalgam_tunnel_notify(i); /* a peer that does not run is not told */
    if (n->wrong) {
        printf("numbers: WRONG at tunnel %u: %s (life %u number %u of life %u)\n", i, n->wrong, (unsigned)n->life,
               (unsigned)n->last, (unsigned)n->from);
        exit(1);
    }
    obey(numbers_ordered(n));
}

static void say(void)
{
    for (unsigned i = 0; i < ENDS; i++) {
        const struct numbers *n = &ends[i];
        printf("numbers: tunnel %u: life %u sent %u dropped %u; taken %u missing %u, last %u of life %u\n", i,
               (unsigned)n->life, (unsigned)n->number, (unsigned)n->dropped, (unsigned)n->taken, (unsigned)n->missing,
               (unsigned)n->last, (unsigned)n->from);
    }
}

int main(int argc, char **argv)
{
    MUST(argc == 1 + ENDS);
    for (unsigned i = 0; i < ENDS; i++) {
        struct amalgam_tunnel tunnel;
        MUST(amalgam_tunnel_open(i, &tunnel) == 0);
        numbers_begin(&ends[i], tunnel.memory, (unsigned)atoi(argv[1 + i]));
    }
    for (uint64_t said = 0;;) {
        for (unsigned i = 0; i < ENDS; i++)
            work(i);
        amalgam_watchdog_kick();
        if (amalgam_clock() - said > 200 * MS) {
            say();
            said = amalgam_clock();
        }
        amalgam_sleep_until(amalgam_clock() + 4 * MS);
    }
}
