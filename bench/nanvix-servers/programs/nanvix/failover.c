/* SPDX-License-Identifier: MIT */
/*
 * failover.c - how long a lookup takes that meets the death of a name server: ROUNDS times it looks up LOOKUPS names,
 * none of which the library remembers, and sleeps PAUSE_NS, after which the library asks a server again that was dead.
 * Says how long the longest lookup took, and how many took long (docs/servers.md). failover ROUNDS LOOKUPS
 */
#include <amalgam/calls.h>
#include <nanvix/runtime/pm/name.h>
#include <nanvix/sys/noc.h>

#include "../../../../user/programs/nanvix/check.h"
#include "../../../../user/programs/nanvix/measure.h"

#define LATE_NS  1000000u
#define PAUSE_NS 300000000u

static const char *const names[] = { "a", "i" }; /* one place in the library's memory: they put each other out of it */
static uint64_t shortest = UINT64_MAX, longest;
static int node, late;

static void link(const char *name)
{
    int error;
    while ((error = nanvix_name_link(node, name)) == -EAGAIN)
        kthread_yield();
    MUST(error == 0);
}

static void look_up(const char *name)
{
    uint64_t begin = amalgam_clock();
    MUST(nanvix_name_lookup(name) == node);
    uint64_t ns = amalgam_clock() - begin;
    shortest = ns < shortest ? ns : shortest;
    longest = ns > longest ? ns : longest;
    late += ns > LATE_NS;
}

void ___start(int argc, const char *argv[], char **envp)
{
    int rounds = argc > 1 ? number_of(argv[1], 1) : 1, lookups = argc > 2 ? number_of(argv[2], 1) : 1;
    UNUSED(envp);
    knoc_init();
    node = knode_get_num();
    link(names[0]);
    link(names[1]);
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < lookups; i++)
            look_up(names[i % 2]);
        uint64_t until = amalgam_clock() + PAUSE_NS;
        while (amalgam_sleep_until(until) == -AMALGAM_EINTR)
            ; /* the patience of the last lookup */
    }
    uprintf("failover: %lu ns at least, %lu ns at most, %d of %d late", (unsigned long)shortest, (unsigned long)longest,
            late, rounds * lookups);
}
