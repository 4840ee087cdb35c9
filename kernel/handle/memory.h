/* SPDX-License-Identifier: MIT */
/*
 * memory.h - ranges of memory that a process shares by handles, for components that use them: a driver's memory, which
 * its device reads and writes.
 *
 * A process makes a range of pages of its own. Their frames are pinned (process_pin) until its handle that owns the
 * range is closed, or the process ends. Who else has a handle maps them (handle_map).
 */
#ifndef AMALGAM_HANDLE_MEMORY_H
#define AMALGAM_HANDLE_MEMORY_H

#include "handle.h"

/* Return the physical address of `size` bytes, 1 or more, from `offset` on of the range `o`, which the caller has
 * taken; (paddr_t)-1: they are not in the range, or not in one piece. Interrupts off. */
paddr_t handle_memory_at(const struct handle_object *o, u32 offset, u32 size);
/* Hold the frames of the range `o`, which the caller has taken: they stay pinned, also when the range is withdrawn,
 * until handle_memory_release() or the end of its process. A range is held as often as it is said. Interrupts off. */
void handle_memory_hold(struct handle_object *o);
/* `self`: the caller, a thread of the range's process; NULL: from PROCESS_ENDS of that process on. Thread context,
 * interrupts on, no lock held. */
void handle_memory_release(struct handle_object *o, struct process_thread *self);

#endif
