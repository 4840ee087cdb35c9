/* SPDX-License-Identifier: MIT */
/*
 * board/watch.h - finds a dead kernel among a program's cores, so that whoever waits for it can end (docs/scc.md).
 *
 * Each kernel of a system with a program in kernel space, or a process that shares memory, counts the seconds in which
 * it runs, in shared memory (all kernels have the same system; without any such program no switch of threads pays for a
 * timer). It writes its registers again, too (board/gic.h). While a program runs, each of its kernels looks
 * once a second at the count of the next one of its cores, whatever the program does. A count that stays the same for
 * SCC_PATIENCE looks is a dead kernel's. Whoever finds that counts it (scc_shared.deaths), which all others read. A
 * core that is reset is counted by who resets it (restart.c), or by its next kernel (info.c).
 */
#ifndef AMALGAM_BOARD_WATCH_H
#define AMALGAM_BOARD_WATCH_H

#include <board/scc.h>
#include <list.h>

#define SCC_PATIENCE 5u /* seconds */

/* Of a program on this core. */
struct scc_watch {
    struct list link;
    const char *name;     /* of the program */
    u64 cores;            /* bit n: it runs on core n */
    u32 *lost;            /* 0, or the number + 1 of one of its cores whose kernel has died since */
    u8 deaths[SCC_CORES]; /* as they were when it began, modulo 256 */
    unsigned watched;     /* the next one of its cores; SCC_CORES: there is none */
    unsigned missed;      /* looks for which its count has been the same */
    u32 beat;             /* that count */
    bool was_up;
};

/* This kernel gives signs of life from now on; again: nothing. Boot. */
void scc_beat_begin(void);
/* Begin to watch for a program: *lost becomes 0, and is set from an interrupt of this core. All stay until the end.
 * Any context; w was zeroed once, and is not in use. */
void scc_watch_begin(struct scc_watch *w, const char *name, u64 cores, u32 *lost);
/* End it, if it has begun. Any context. */
void scc_watch_end(struct scc_watch *w);

#endif
