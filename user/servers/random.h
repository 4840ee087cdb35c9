/* SPDX-License-Identifier: MIT */
/* random.h - numbers for lives and nonces of servers. */
#ifndef AMALGAM_SERVERS_RANDOM_H
#define AMALGAM_SERVERS_RANDOM_H

#include <amalgam/calls.h>
#include <stdint.h>
#include <sys/random.h>

/* Returns a number that others cannot guess; on a board without a source of such numbers one that they cannot know. */
static inline uint64_t servers_random(void)
{
    uint64_t drawn;
    return getentropy(&drawn, sizeof(drawn)) ? amalgam_clock() * 0x9e3779b97f4a7c15u : drawn;
}

#endif
