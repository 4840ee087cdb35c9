/* SPDX-License-Identifier: MIT */
/*
 * lost.h - what the functions of a library for many cores answer when a peer never comes: the first look finds nothing,
 * a later one a dead kernel or the end of the program. One file a test includes it, with DEAD the core.
 */
#ifndef AMALGAM_TESTS_LOST_H
#define AMALGAM_TESTS_LOST_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#define TIMES    100000
#define LOST     125 /* the program's exit status */
#define STOPPED  4   /* the kernel has ended it */
#define ANSWERED 3   /* a poll was answered */

static unsigned looks;
static bool stops; /* the program is stopped; else a kernel dies */

static uint32_t look(void)
{
    if (!looks++)
        return 0;
    if (stops)
        _exit(STOPPED);
    return DEAD + 1;
}

static void look_and_rest(void)
{
    if (looks++ && stops)
        _exit(STOPPED);
}

/* `how` is an exit status or a signal's number. Returns whether the call ended as it has to; else says so. */
static bool ended(const char *name, int how)
{
    bool right = how == (stops ? STOPPED : LOST);
    if (!right)
        fprintf(stderr, "%s: %s, but %s\n", name,
                how == SIGVTALRM  ? "goes on"
                : how == ANSWERED ? "returns"
                                  : "fails",
                stops ? "the program was stopped" : "a kernel is dead");
    return right;
}

#endif
