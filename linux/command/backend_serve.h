/* SPDX-License-Identifier: MIT */
/*
 * backend_serve.h - serves one disk or network of a guest from a file or tap of this Linux. backend.c finds its entry
 * in the shared area and calls these when there is work; none of them waits for more.
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
    int entry;    /* index in the area; -1: the kernel has announced no entry of this name */
    u32 held;     /* what this process has written into the entry's `served` */
    void *memory; /* the entry's memory in the area */
    u64 size;     /* block: bytes of the file */
};

/* Open the file or tap. Returns 0, or an exit status after an error message. */
int back_open(struct back *b);
/* Do the guest's request, if there is one. Returns true if the kernel has to be rung. */
bool serve_block(const struct back *b);
/* Write the guests' frames to the tap. */
void net_to_tap(const struct back *b);
/* Copy frames from the tap to the guests while the tap has some and the ring has room. Returns true if the kernel has
 * to be rung. */
bool tap_to_net(const struct back *b);
/* Returns whether the ring to the guests has room. */
bool has_room(const struct back *b);

static inline u32 load_acquire(const u32 *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void store(u32 *word, u32 value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

#endif
