/* SPDX-License-Identifier: MIT */
/* outside.c - waits that also end by what happens outside the process: outside.h. */
#include "outside.h"

#include <amalgam/spawn.h>

static uint32_t events(void) { return (uint32_t)amalgam_spawn_events(); }

static int64_t wait(const uint32_t *word, uint32_t sum, uint64_t deadline)
{
    return amalgam_spawn_sleep(word, sum, deadline);
}

static const struct files_outside outside = { events, wait };

void outside_begin(void)
{
    if (!files_outside && amalgam_spawn_events() >= 0)
        files_outside = &outside;
}
