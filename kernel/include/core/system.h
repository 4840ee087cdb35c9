/* SPDX-License-Identifier: MIT */
/*
 * core/system.h - from a system image to running domains. Boot takes the steps one by one (core/main.c); where systems
 * come and go (CONFIG_DYNAMIC), system_load() takes them all.
 *
 * There is one system at a time. Its image is in memory that was given to the frame allocator, and stays allocated
 * until the system is destroyed, because it holds the domains' disks.
 */
#ifndef AMALGAM_CORE_SYSTEM_H
#define AMALGAM_CORE_SYSTEM_H

#include <core/system_table.h>

#define FRAME_EPOCH_NS 1000000ull /* from boot to the beginning of all frames, when each core is in its idle loop */

/* Returns 0 if the image can be used here, else an error, with a line in the log. */
int system_refused(const void *image, u64 size);
/* Make it the system (system_table). */
void system_use(const struct sys_header *h);
/* Assign each domain its group on each core. Before domains are created. */
void system_assign_groups(void);
/* Install the frame of one core, which begins at `epoch`. The groups are assigned. */
void system_set_frame(const struct sys_frame *f, ticks_t epoch);

/* --- CONFIG_DYNAMIC: thread context on core 0, the control console's; each refusal is a line in the log ---------- */

/*
 * Take the image of `size` bytes (0: the size that the image says) at `image` out of free memory, check it, create its
 * domains and start those with autostart. All or nothing. Returns 0; -EEXIST: there is a system; -EINVAL: not a page's
 * address; -EBUSY: not all of it is free memory; -EBADMSG, -EINVAL, -ENODEV as from system_refused(), or a core is not
 * present; -ENOMEM.
 */
int system_load(paddr_t image, u64 size);
/* Stop and destroy all domains. Frames, windows and all memory, the image's, too, are free then. Returns 0, or
 * -ENOENT without a system. */
int system_unload(void);

#endif
