/* SPDX-License-Identifier: MIT */
/*
 * core/split.h - the kernel's half of split drivers: entries of the area that it shares
 * with the Linux beneath which it was attached (api/backend.h).
 *
 * Front ends claim an entry at creation of their domain and ring it; a thread calls
 * them back when Linux rang.  attach/split.c is behind it; whoever calls has a weak default
 * beside the call, which has no entry for anybody.
 */
#ifndef AMALGAM_CORE_SPLIT_H
#define AMALGAM_CORE_SPLIT_H

#include <types.h>

#include <api/backend.h> /* in terms of those types */

struct split_entry {
    u32 type, flags; /* enum backend_type, enum backend_flags */
    const char *name;
    u64 sectors;
    u32 size;                /* bytes of shared memory wanted */
    bool (*rung)(void *arg); /* Linux has something; thread context, interrupts on. True: call again after a pause. */
    void *arg;
};

/* Announce an entry, its memory zeroed at *memory. Its number, or -ENODEV: this kernel has no Linux to share with,
 * -ENOSPC, -EEXIST: the name is taken. Domain creation. */
int split_claim(const struct split_entry *e, void **memory);
/* Make Linux look at the entry. Any context. */
void split_ring(unsigned entry);
/* No thread of a domain is left: take every entry back before their devices go; nobody is called back any more. Thread
 * context on core 0. */
void split_reset(void);
/* The interrupt that Linux's ring arrives as. */
void split_irq(void);

/* board: the area and its size, NULL if there is none; raise Linux's interrupt. */
void *hal_split_area(size_t *size);
void hal_split_kick(void);

#endif
