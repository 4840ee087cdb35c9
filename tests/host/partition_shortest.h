/* SPDX-License-Identifier: MIT */
/* partition_shortest.h - the shortest window that a kernel accepts, by the number of its cores. */
#ifndef AMALGAM_TESTS_PARTITION_SHORTEST_H
#define AMALGAM_TESTS_PARTITION_SHORTEST_H

#include "partition_test.h"

/* Whether a table with windows of the pool alone, of `ticks`, is accepted for so many cores. */
static bool window_accepted(u32 cores, u32 ticks)
{
    setup(NULL);
    struct pt_frame *frames = (struct pt_frame *)table->image;
    for (u32 i = 0; i < cores; i++)
        frames[i] = (struct pt_frame){ 2, 1 };
    table->windows[2].ticks = ticks;
    table->h.n_plans = 1;
    table->h.n_cores = (u8)cores;
    table->h.off_frames = offsetof(typeof(*table), image);
    table->h.table_size = offsetof(typeof(*table), image) + 256;
    for (u32 i = 0; i < 5; i++)
        table->vms[i].plan = 0;
    seal();
    int err = table_check();
    assert_true(!err || err == 0x200);
    return !err;
}

/* `few`, `many`: what up to PT_CORES_FEW cores take, and all. */
static void shortest_is(u32 few, u32 many)
{
    for (u32 cores = 1; cores <= PT_CORES; cores++) {
        u32 least = cores <= PT_CORES_FEW ? few : many;
        assert_true(window_accepted(cores, least));
        assert_false(window_accepted(cores, least - 1));
    }
}

#endif
