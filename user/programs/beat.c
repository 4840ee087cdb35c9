/* SPDX-License-Identifier: MIT */
/* beat.c - a domain to look at: it computes for some time in each period, and sleeps. "beat COMPUTE PERIOD", both in
 * ms. */
#include <amalgam/calls.h>
#include <stdio.h>
#include <stdlib.h>

#define MS 1000000ull

int main(int argc, char **argv)
{
    uint64_t work = MS * (argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    uint64_t period = MS * (argc > 2 ? strtoull(argv[2], NULL, 10) : 100);
    puts("beat: begins");
    fflush(stdout);
    for (uint64_t next = (uint64_t)amalgam_clock();; next += period) {
        while ((uint64_t)amalgam_clock() < next + work)
            ;
        amalgam_sleep_until(next + period);
    }
}
