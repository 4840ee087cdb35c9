/* SPDX-License-Identifier: MIT */
/* await_end.h - waits for the end of a program that was started, asleep. */
#ifndef AMALGAM_PROGRAMS_AWAIT_END_H
#define AMALGAM_PROGRAMS_AWAIT_END_H

#include <amalgam/spawn.h>

static inline void await_end(uint32_t child)
{
    static const uint32_t never;
    uint32_t seen = (uint32_t)amalgam_spawn_events();
    while (amalgam_spawn_wait(child) == -AMALGAM_EAGAIN) {
        amalgam_spawn_sleep(&never, seen, AMALGAM_NEVER);
        seen = (uint32_t)amalgam_spawn_events();
    }
}

#endif
