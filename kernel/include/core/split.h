/* SPDX-License-Identifier: MIT */
/*
 * core/split.h - the kernel's half of split drivers: entries of the area that it shares with the Linux above it
 * (api/backend.h).
 *
 * A front end claims an entry when its domain is created, and rings it. A thread calls the front end back when Linux
 * rang. attach/split.c implements this; core/split_none.c has no entry to offer.
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
    bool (*rung)(void *arg); /* Linux rang; thread context, interrupts on; true: call again after a pause */
    void *arg;
};

/* Announce an entry. *memory becomes its zeroed memory. Returns its number; -ENODEV: this kernel shares nothing with
 * a Linux; -ENOSPC; -EEXIST: the name is taken. Called when a domain is created. */
int split_claim(const struct split_entry *e, void **memory);
/* Make Linux look at the entry. Any context. */
void split_ring(unsigned entry);
/* Withdraw all entries before their devices are destroyed; no front end is called back after this. All threads of
 * domains have ended. Thread context on core 0. */
void split_reset(void);
/* Linux rang: called by the interrupt handler. */
void split_irq(void);

/* board: return the area and its size, NULL if there is none; raise Linux's interrupt. */
void *hal_split_area(size_t *size);
void hal_split_kick(void);

#endif
