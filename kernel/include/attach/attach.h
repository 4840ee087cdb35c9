/* SPDX-License-Identifier: MIT */
/* attach/attach.h - what Linux has given to the kernel: memory (attach/memory.c) and CPUs (arch's attach_core.c). */
#ifndef AMALGAM_ATTACH_ATTACH_H
#define AMALGAM_ATTACH_ATTACH_H

#include <types.h>

struct attach_boot;

/* What is RAM. -EINVAL. */
int attach_memory_init(const struct attach_boot *boot);
/* The four calls on memory, each checked; 0 or an error (api/attach.h). The caller holds the lock of all calls. */
int attach_memory_give(paddr_t base, u64 size);
int attach_memory_commit(paddr_t base, u64 size);
int attach_memory_take(paddr_t base, u64 size);
int attach_memory_show(paddr_t base, u64 size);
/* Bytes that are hidden from Linux since load. */
u64 attach_memory_given(void);

/* All of Linux's CPUs have forgotten what their nested tables said before that version. */
bool attach_all_flushed(u64 version);

/* guard.c: interrupt commands of Linux are looked at; nothing can go around us, so things may be given. */
bool attach_guarded(void);
bool attach_may_give(void);
/* Quick when nobody has begun that: all of Linux's CPUs ask it on their way out. */
bool attach_anything_given(void);
/* Begin or end that: 0, -ENODEV (a CPU is bare), -EBUSY (something is given). */
int attach_guard(u64 on);

/* CPUs that are cores, on the way, or not yet started by Linux again. */
unsigned cores_given(void);

#endif
