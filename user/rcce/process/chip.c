/* SPDX-License-Identifier: MIT */
/* chip.c - a process has the chip's memory mapped from its begin on. */
#include "found.h"

#include <amalgam/calls.h>
#include <stdio.h>

void NATIVE_CALL chip_rest(void) { amalgam_sleep_until((uint64_t)amalgam_clock() + NATIVE_REST_NS); }

bool chip_open(struct chip_memory *m)
{
    *m = (struct chip_memory){ (const struct chip_info *)CHIP_INFO, (const volatile uint32_t *)CHIP_LIVES,
                               (char *)CHIP_MPB, (char *)CHIP_SHARED };
    if (m->info->version == CHIP_VERSION && m->info->shared_size)
        return true;
    puts("rcce: the process has no memory of the chip: say 'shared: 64K' in the system file");
    return false;
}
