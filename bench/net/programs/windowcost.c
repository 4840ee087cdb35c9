/* SPDX-License-Identifier: MIT */
/*
 * windowcost.c - how far a domain computes in each of its windows: "windowcost N" counts rounds of its loop in N
 * windows, the first whole one the first, and prints them in their order, eight in a line: `rounds N ...`. What the
 * kernel does in a window for others makes its number smaller. A round that takes longer than GAP is the time between
 * two windows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define GAP  1000000 /* ticks, which under icount are instructions and nanoseconds */
#define MOST 1024    /* a multiple of 8, as N is */

static unsigned rounds[MOST];

/* Returns how many rounds there were before the next gap. */
static unsigned count_window(void)
{
    unsigned n = 0;
    for (uint64_t last = __builtin_ia32_rdtsc(), now; (now = __builtin_ia32_rdtsc()) - last < GAP; last = now)
        n++;
    return n;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    if (!n || n > MOST || n % 8)
        return 2;
    count_window(); /* the rest of one */
    for (unsigned i = 0; i < n; i++)
        rounds[i] = count_window();
    for (unsigned i = 0; i < n; i++)
        printf(i % 8 == 7 ? "%u\n" : i % 8 ? "%u " : "rounds %u ", rounds[i]);
    puts("windowcost: done");
    return 0;
}
