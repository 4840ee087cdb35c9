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

static uint32_t interrupts; /* that were seen */

bool outside_interrupted(void)
{
    uint32_t now = (uint32_t)amalgam_console_interrupts(), before = interrupts;
    interrupts = now;
    return now != before;
}

void outside_begin(void)
{
    if (files_outside || amalgam_spawn_events() < 0)
        return;
    outside_interrupted();
    files_outside = &outside;
}
