/* SPDX-License-Identifier: MIT */
/*
 * scrub.c - before the machine starts again nothing of any domain is left in memory: a warm reset keeps what is there
 * for whoever comes next.
 *
 * Overwritten are all given memory, and of the kernel's own what was free at the end of load: domains' records, with
 * their registers, are there. The kernel's image, and what it made for Linux at load, stays. So does what a core that
 * did not stop writes afterwards.
 */
#include <attach/upcalls.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/attach.h>
#include <hal/memory.h>
#include <string.h>

#include "given.h"

#define MAX_RANGES 128

static struct frames_range ours[MAX_RANGES];
static unsigned n_ours;

__init_text int attach_scrub_init(void)
{
    n_ours = frames_list(ours, MAX_RANGES);
    return n_ours <= MAX_RANGES ? 0 : -ENOSPC;
}

void attach_scrub(void)
{
    attach_calls_end();
    cores_stop();
    attach_memory_scrub();
    for (unsigned i = 0; i < n_ours; i++)
        memset(phys_to_virt(ours[i].base), 0, ours[i].end - ours[i].base);
    hal_write_back(); /* a reset drops what is only in caches */
}
