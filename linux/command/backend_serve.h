/* SPDX-License-Identifier: MIT */
/*
 * backend_serve.h - one disk or network of a guest, and the file or tap of this Linux that stands behind it. backend.c
 * finds its entry in the shared area and says when to look at it; nothing here waits.
 */
#ifndef AMALGAM_BACKEND_SERVE_H
#define AMALGAM_BACKEND_SERVE_H

#include "types.h"
#include "backend.h"

#define SECTOR 512

/* One `--block NAME=PATH` or `--net NAME=TAP`, and the entry that it serves. */
struct back {
    u32 type; /* enum backend_type */
    const char *name, *path;
    int fd;
    int entry;    /* -1: the kernel has announced none of this name */
    void *memory; /* of the entry */
    u64 size;     /* block: bytes of the file */
};

/* Open the file or tap; 0, or an exit status and why is said. */
int back_open(struct back *b);
/* The request of the guest that waits, if one does; true: tell the kernel. */
bool serve_block(const struct back *b);
/* Frames from the guests to the tap. */
void net_to_tap(const struct back *b);
/* Frames from the tap to the guests, while both have some; true: tell the kernel. */
bool tap_to_net(const struct back *b);
bool has_room(const struct back *b);

static inline u32 load(const u32 *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void store(u32 *word, u32 value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

#endif
