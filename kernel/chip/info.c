/* SPDX-License-Identifier: MIT */
/* info.c - the page that tells a process of the chip, or a guest that joins one. */
#include <core/frames.h>
#include <hal/time.h>

#include "chip.h"

__init_text struct chip_info *chip_info_create(const struct sys_process *conf)
{
    struct chip_info *info = page_alloc();
    if (!info)
        return NULL;
    *info = (struct chip_info){
        .version = CHIP_VERSION,
        .core = scc_core,
        .cores = SCC_CORES,
        .khz = (u32)(time_hz / 1000),
        .ues = { conf->ues[0], conf->ues[1] },
        .shared_size = conf->shared_pages * PAGE_SIZE,
    };
    for (unsigned core = 0; core < SCC_CORES; core++)
        info->chosen[core / 32] |= (u32)scc_chosen(core) << core % 32;
    return info;
}
