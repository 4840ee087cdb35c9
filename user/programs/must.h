/* SPDX-License-Identifier: MIT */
/* must.h - for programs that check: what is not so is said with its line, and ends the program with status 1. The
 * program defines PROGRAM, its name, before it includes this. */
#ifndef AMALGAM_PROGRAMS_MUST_H
#define AMALGAM_PROGRAMS_MUST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(what)                                                                                                     \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            printf(PROGRAM ": WRONG in line %d: %s\n", __LINE__, #what);                                               \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The result of a call of the kernel, which must not fail. */
#define RESULT(call) must_succeed(call, __LINE__)
static inline int64_t must_succeed(int64_t result, int line)
{
    if (result < 0) {
        printf(PROGRAM ": line %d: error %d\n", line, (int)-result);
        exit(1);
    }
    return result;
}

#endif
