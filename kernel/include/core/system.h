/* SPDX-License-Identifier: MIT */
/*
 * core/system.h - from a system image to running domains: the steps that boot takes
 * (core/main.c), and, where systems come and go (CONFIG_DYNAMIC), all of them at once.
 *
 * One system at a time.  Its image lies in memory that was given to the frame allocator
 * and belongs to the system as long as that lives: domains' disks are in it.
 */
#ifndef AMALGAM_CORE_SYSTEM_H
#define AMALGAM_CORE_SYSTEM_H

#include <core/system_table.h>

#define FRAME_EPOCH_NS 1000000ull /* all frames begin together, when every core is in its idle loop */

/* 0, or why this image cannot be used here: an error number, and a line in the log. */
int system_refused(const void *image, u64 size);
/* It is the system now (system_table). */
void system_use(const struct sys_header *h);
/* Who has windows where; before domains are created. */
void system_assign_groups(void);
/* The frame of one core begins at `epoch`; groups are assigned. */
void system_set_frame(const struct sys_frame *f, ticks_t epoch);

/* --- CONFIG_DYNAMIC: thread context on core 0, the control console's; each refusal is a line in the log ---------- */

/*
 * Take the image of `size` bytes (0: as many as it says) at `image` out of free memory, check it, create its domains
 * and start those that say so. All or nothing. -EEXIST a system is there; -EINVAL no page address; -EBUSY not all of it
 * is free memory; -EBADMSG, -EINVAL, -ENODEV see system_refused(), or a core that is not there; -ENOMEM.
 */
int system_load(paddr_t image, u64 size);
/* Stop and destroy all domains; frames, windows and all memory are free again, the image's, too. -ENOENT no system. */
int system_unload(void);

#endif
