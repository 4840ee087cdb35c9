/* SPDX-License-Identifier: MIT */
/* given.h - what Linux has given, between the files of this folder. The caller holds the lock of Linux's calls. */
#ifndef AMALGAM_ATTACH_GIVEN_H
#define AMALGAM_ATTACH_GIVEN_H

#include <types.h>

/* memory.c: the four calls on memory, each checked; 0 or an error (api/attach.h). */
int attach_memory_give(paddr_t base, u64 size);
int attach_memory_commit(paddr_t base, u64 size);
int attach_memory_take(paddr_t base, u64 size);
int attach_memory_show(paddr_t base, u64 size);
/* Bytes that are hidden from Linux since load. */
u64 attach_memory_given(void);
/* Overwrite all memory that is given and that the kernel or a domain may have used. Nothing runs there any more. */
void attach_memory_scrub(void);

/* guard.c: begin or end to guard: 0, -ENODEV (a CPU is bare), -EBUSY (something is given), -EINVAL. */
int attach_guard(u64 on);
/* Nothing can go around us: things may be given. */
bool attach_may_give(void);
/* Quick when nobody has begun that: all of Linux's CPUs ask it on their way out. */
bool attach_anything_given(void);

/* call.c: no call of Linux's is under way, nor will there be one. Takes the lock for good. */
void attach_calls_end(void);

#endif
