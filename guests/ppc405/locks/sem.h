/* SPDX-License-Identifier: MIT */
/*
 * sem.h - the paper's binary semaphore (Proteus 3.3), based on the kernel's bakery lock, for comparison. The kernel
 * itself uses the bakery lock directly (docs/bakery-lock.md), so this is not part of it.
 */
#ifndef AMALGAM_LOCKS_SEM_H
#define AMALGAM_LOCKS_SEM_H

#include <partition/bakery.h>

struct semaphore { /* binary, FIFO */
    struct bakery mutex;
    u32 free;
    u32 head, tail;        /* indices of `queue` that only grow; equal: no core waits */
    u8 queue[PT_CORES];    /* a core is in it at most once */
    u32 granted[PT_CORES]; /* the word that a waiting core polls */
};

__must_check LOCK_ROUTINE bool sem_wait(struct semaphore *s, u32 me);
__must_check LOCK_ROUTINE bool sem_signal(struct semaphore *s, u32 me);

#endif
