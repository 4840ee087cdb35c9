/* SPDX-License-Identifier: MIT */
/* medium.h - medium pages, for map.c and pin.c. Without CONFIG_PAGES_64K nothing calls the functions. */
#ifndef AMALGAM_PROCESS_MEDIUM_H
#define AMALGAM_PROCESS_MEDIUM_H

#include "frames.h"

/* Map the medium pages of [*at, end); *at stops at one that could not be. Returns 0; -EEXIST; -ENOMEM. A thread that
 * has to end leaves the rest undone, and gets 0. Interrupts on, no lock held. */
int process_medium_map(struct process_thread *t, u64 *at, u64 end);
/* Do to the medium page at *at what a step of map.c does to a small one, and move *at to its end. Returns 0, also when
 * there is none any more, and then *at stays; -EINVAL: [*at, end) does not have all of it; or the step's error.
 * Interrupts on, no lock held. */
typedef int process_medium_step(struct process_thread *t, u64 *at, u64 end, u32 *arg);
process_medium_step process_medium_unmap, process_medium_check, process_medium_protect;
/* Returns whether the entries of a medium page's place, of which this is the first, map nothing. */
bool process_medium_fits(const space_entry_t *entry);

/* Return the number of the frame that address `va`, of the entry's page, has. */
static inline __attribute__((always_inline)) u32 process_frame_at(const struct process *p, space_entry_t entry, u64 va)
{
    u32 frame = process_frame_of(p, entry);
    if (unlikely(space_is_medium(entry)))
        frame += (u32)((va & (SPACE_MEDIUM - 1)) >> PAGE_SHIFT) -
                 (u32)((space_frame(entry) & (SPACE_MEDIUM - 1)) >> PAGE_SHIFT);
    return frame;
}

#endif
