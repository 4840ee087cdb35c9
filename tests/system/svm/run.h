/* SPDX-License-Identifier: MIT */
/* run.h - what programs of several runs share that draw random numbers: a call that must not fail, and the numbers. The
 * program defines PROGRAM, its name, before it includes this. */
#ifndef AMALGAM_TESTS_SVM_RUN_H
#define AMALGAM_TESTS_SVM_RUN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned rank, n; /* this run, of so many */
static uint32_t state;   /* not 0, before the first number */

static int64_t must(int64_t result, const char *what)
{
    if (result < 0) {
        printf(PROGRAM ": rank %u: %s: error %d\n", rank, what, (int)-result);
        exit(1);
    }
    return result;
}

static unsigned any(unsigned end)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) % end;
}

#endif
