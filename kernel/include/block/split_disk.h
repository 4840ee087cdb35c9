/* SPDX-License-Identifier: MIT */
/*
 * block/split_disk.h - a disk that is a file or device of the Linux above (api/backend.h), for whatever shows disks.
 *
 * One piece of at most BACKEND_DATA bytes is at Linux at a time. Its owner asks, is rung when Linux has answered, and
 * takes the answer. Of what Linux can write only the status and the data are read, each once by its owner's leave.
 *
 * The owner serializes all calls. It may hold a lock with interrupts off.
 */
#ifndef AMALGAM_BLOCK_SPLIT_DISK_H
#define AMALGAM_BLOCK_SPLIT_DISK_H

#include <core/split.h>

#define DISK_SECTOR 512

struct split_disk {
    struct backend_block *shared; /* memory shared with Linux */
    unsigned entry;
    bool busy, stale; /* a piece is at Linux; its asker does not want the answer any more */
    u32 asked;        /* our own count, since Linux can write the shared one */
    u32 piece;        /* bytes of the piece at Linux, or of the last one */
};

/* Announce the disk to Linux; rung(arg) is called as split_entry.rung. Returns 0; -ERANGE: more than 2^48 sectors; or
 * split_claim()'s error, -ENODEV where nothing is shared with a Linux. Only when a domain is created. */
int split_disk_claim(struct split_disk *d, const char *name, u64 sectors, bool readonly, bool (*rung)(void *arg),
                     void *arg);
/* Return the data of a piece: to be written before a BACKEND_WRITE is asked for, to be read when a BACKEND_READ is
 * answered. */
static inline u8 *split_disk_data(const struct split_disk *d) { return d->shared->data; }
/* Send one piece to Linux: operation of enum backend_operation, length at most BACKEND_DATA. It is not busy. */
void split_disk_ask(struct split_disk *d, u32 operation, u64 sector, u32 length);
/* Nobody wants the answer to what is at Linux, if anything is; the disk stays busy until that has come. */
static inline void split_disk_forget(struct split_disk *d) { d->stale = d->busy; }
/* Take Linux's answer: then the disk is busy no more. Returns -EAGAIN: there is none; -ESTALE: it was forgotten; -EIO:
 * Linux could not do it; 0. */
int split_disk_take(struct split_disk *d);

#endif
