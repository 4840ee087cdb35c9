/* SPDX-License-Identifier: MIT */
/* disk_memory.h - a disk of BLOCKS blocks, in memory, that does all that it is told until it is broken. */
#ifndef AMALGAM_HOST_DISK_MEMORY_H
#define AMALGAM_HOST_DISK_MEMORY_H

#include <string.h>

#include "blocks.h"

static uint8_t bytes[BLOCKS * AMALGAM_DISK_BLOCK];
static bool broken; /* it writes no more */

static int read_blocks(void *driver, uint64_t at, void *to, uint32_t n)
{
    memcpy(to, bytes + at, n);
    return 0;
}

static int write_blocks(void *driver, uint64_t at, const void *from, uint32_t n)
{
    if (broken)
        return -1;
    memcpy(bytes + at, from, n);
    return 0;
}

static int flush_blocks(void *driver) { return 0; }

static const struct blocks_driver by = { read_blocks, write_blocks, flush_blocks };

#endif
