/* SPDX-License-Identifier: MIT */
/*
 * scrub.c - overwrites all data of domains before the machine is reset, because memory survives a warm reset.
 *
 * It overwrites all given memory, and the kernel's own memory that was free at the end of load, where domains' records
 * and registers are. The kernel's image and its data for Linux from load stay. So do writes of a core that did not
 * stop.
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
    hal_write_back(); /* a reset loses data that is only in caches */
}
