/* SPDX-License-Identifier: MIT */
/* given.h - things that Linux has given: functions that the files of this folder share. The caller holds the lock of
 * Linux's calls. */
#ifndef AMALGAM_ATTACH_GIVEN_H
#define AMALGAM_ATTACH_GIVEN_H

#include <types.h>

/* memory.c: the four calls for memory, with all checks. Return 0 or an error (api/attach.h). */
int attach_memory_give(paddr_t base, u64 size);
int attach_memory_commit(paddr_t base, u64 size);
int attach_memory_take(paddr_t base, u64 size);
int attach_memory_show(paddr_t base, u64 size);
/* Returns the bytes that were hidden from Linux since load. */
u64 attach_memory_given(void);
/* Overwrite all given memory that the kernel or a domain may have used. Nothing uses it any more. */
void attach_memory_scrub(void);

/* guard.c: begin or end to guard. Returns 0, -ENODEV (a CPU is bare), -EBUSY (something is given), -EINVAL. */
int attach_guard(u64 on);
/* Returns whether Linux is guarded on all CPUs, so that things may be given. */
bool attach_may_give(void);
/* Returns whether anything is given. Fast if nothing ever was, because all of Linux's CPUs ask it when they detach. */
bool attach_anything_given(void);

/* call.c: wait for the end of Linux's present call and permit no other. Takes the lock for good. */
void attach_calls_end(void);

#endif
