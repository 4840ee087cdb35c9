/* SPDX-License-Identifier: MIT */
/*
 * selectors.c - looks for segments that a process must not find: what lies behind the kernel's table of descriptors
 * is memory, with values that others choose, and would be descriptors of this privilege if the table's limit were
 * wrong. Asks the processor for all 8,191 selectors, again and again, so that guests of its core run in between.
 * x86-64.
 */
#include <amalgam/calls.h>
#include <stdio.h>
#include <stdlib.h>

#define SELECTORS 8192u
#define USER      3u
#define PAUSE     10000000 /* ns */
#define OWN_DATA  6u
#define OWN_CODE  7u

/* Whether the processor has a segment for this program there: LAR loads nothing, and faults of nothing. */
static int there(unsigned n)
{
    unsigned rights = n << 3 | USER;
    unsigned char found;
    __asm__ volatile("lar %1, %1; setz %0" : "=q"(found), "+r"(rights) : : "cc");
    return found;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1, wrong = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned n = 1; n < SELECTORS; n++)
            if (there(n) != (n == OWN_DATA || n == OWN_CODE) && !wrong++)
                printf("selectors: %x is %s\n", n << 3 | USER, there(n) ? "a segment" : "none");
        amalgam_sleep_until(amalgam_clock() + PAUSE);
    }
    printf("selectors: %u rounds, %u wrong\n", rounds, wrong);
    return 0;
}
