/* SPDX-License-Identifier: MIT */
/*
 * window.c - cyclic windows: partition/policy.h by the frames of the partition table (docs/windows.md).
 *
 * A frame is a list of windows of one core in one plan, repeated for ever; it begins on all cores at the same time. The
 * end of a window is the end of the one before plus its length, never "now" plus something, so being late does not add
 * up.
 */
#include <partition/policy.h>
#include <partition/bakery.h>
#include "vm.h"
#include <partition/pt.h>

__optional u32 plan_wanted(void) { return 0; } /* without CONFIG_HEALTH */

struct turn turn;
u32 turn_length;
u8 turn_plan;
static const struct pt_window *window, *frame_end;

/* More than that behind (the host stopped this core for 0.8 s): begin anew from now instead of hurrying through what
 * was missed. */
#define LATE_LIMIT 0x10000000u

static void set_turn(void)
{
    turn.owner = window->vm == PT_ANY ? NULL : vm_of(window->vm);
    turn_length = window->ticks;
    turn.end += window->ticks;
}

static void begin_frame(void)
{
    turn_plan = (u8)plan_wanted();
    const struct pt_frame *f = pt_frames() + turn_plan * core_count + core.id;
    window = pt_windows() + f->first_window;
    frame_end = window + f->n_windows;
}

void policy_init(u32 start)
{
    turn.end = start;
    frame_end = window + 1; /* of a frame that is over */
    policy_next(start);
}

void policy_next(u32 now)
{
    if (now - turn.end > LATE_LIMIT)
        turn.end = now;
    if (++window == frame_end)
        begin_frame();
    set_turn();
}

bool policy_pooled(u8 flags) { return flags & PT_BACKGROUND; }
