/* SPDX-License-Identifier: MIT */
/*
 * window.c - cyclic windows: implements partition/policy.h by the frames of the partition table (docs/windows.md).
 *
 * A frame is a list of windows of one core in one plan, repeated for ever. It begins on all cores at the same time. A
 * window ends at the end of the one before plus its length, never "now" plus something, so delays do not add up.
 */
#include <partition/policy.h>
#include <partition/bakery.h>
#include "vm.h"
#include <partition/pt.h>

__optional u32 plan_wanted(void) { return 0; } /* without CONFIG_HEALTH */

struct slot current_slot;
u32 slot_length;
u8 slot_plan;
static const struct pt_window *window, *frame_end;

/* If this core is later than LATE_LIMIT (0.8 s; the host had stopped it), the next window begins now. Do not catch up
 * the missed ones. */
#define LATE_LIMIT 0x10000000u

static void set_slot(void)
{
    current_slot.owner = window->vm == PT_ANY ? NULL : vm_of(window->vm);
    slot_length = window->ticks;
    current_slot.end += window->ticks;
}

static void begin_frame(void)
{
    slot_plan = (u8)plan_wanted();
    const struct pt_frame *f = pt_frames() + slot_plan * core_count + core.id;
    window = pt_windows() + f->first_window;
    frame_end = window + f->n_windows;
}

void policy_init(u32 start)
{
    current_slot.end = start;
    frame_end = window + 1; /* as at the end of a frame */
    policy_next(start);
}

void policy_next(u32 now)
{
    if (now - current_slot.end > LATE_LIMIT)
        current_slot.end = now;
    if (++window == frame_end)
        begin_frame();
    set_slot();
}

bool policy_pooled(u8 flags) { return flags & PT_BACKGROUND; }
