/* SPDX-License-Identifier: MIT */
/*
 * svm/svm.h - shared virtual memory of the kernels of an SCC (MetalSVM paper, II; docs/svm.md).
 *
 * A range of addresses from SVM_BASE on maps the same pages of shared memory on each *member*: each core that was
 * chosen to boot. Members allocate together, all in the same order. No hardware keeps their caches coherent, so each
 * region has a model:
 *
 * - SVM_STRONG: a page has one owner, and only the owner maps it. Another core's access is a page fault, which asks the
 * owner for the page (own.c). Reads move the page, too.
 *
 * - SVM_LAZY: all map all pages, writable. Data that one member wrote before svm_release() is visible to another after
 * svm_acquire(). A barrier is both; the end of a lock is a release, its begin an acquire.
 *
 * - SVM_TWINS: the same promise, by a copy in each core's own memory: a release stores what differs (twin.c). It takes
 * twice the region of each member's memory.
 *
 * - SVM_READ_ONLY: all map all pages, read-only; svm_change() ends the writing.
 * - SVM_ONCE: a page is written before it is read. It has one owner as a strong one, and another core's write moves it;
 *   another core's first read makes it read-only for all and for ever, so that later reads ask nobody.
 *
 * Pages are of the SCC's type MPBT (hal/mpbt.h): written through, cached only by L1, which invalidates all of them at
 * once.
 *
 * Words of other members are bounded before use. A member that does not answer for SVM_PATIENCE_NS is dead: a call that
 * waits for it returns an error, and an access to a page that it owns is a fault of the accessing domain.
 *
 * Unless said otherwise calls are for threads with interrupts on, one thread of a core at a time.
 */
#ifndef AMALGAM_SVM_H
#define AMALGAM_SVM_H

#include <types.h>

#define SVM_BASE  0x90000000ul /* virtual */
#define SVM_PAGES 2816u        /* of all regions together */
#define SVM_SIZE  (SVM_PAGES * PAGE_SIZE)
#define SVM_LOCKS 64u

#define SVM_PATIENCE_NS 5000000000ull

enum svm_model { SVM_STRONG, SVM_LAZY, SVM_READ_ONLY, SVM_ONCE, SVM_TWINS, SVM_MODELS };

struct svm_stats {
    u32 faults;  /* page faults that were served */
    u32 taken;   /* strong pages that this core took */
    u32 given;   /* strong pages that it gave away */
    u32 held;    /* requests that waited because the page had just come */
    u32 late;    /* requests for a page that had left already: dropped, the sender follows the page */
    u32 copied;  /* pages that were copied into this core's memory (SVM_TWINS) */
    u32 merged;  /* bytes that releases stored into shared pages (SVM_TWINS) */
    u32 moved;   /* pages whose frame moved near this core (svm/migrate.h) */
    u32 refused; /* requests with a wrong number, page or sender: dropped */
};

/* Return the number of members / the caller's rank among them, from 0, in the order of their cores' numbers. */
unsigned svm_members(void);
unsigned svm_rank(void);
/* Return the number of that core's kernel (board/scc.h) when the members last met, which a call of all does; 0: it is
 * no member. */
u32 svm_kernel_of(unsigned core);

/*
 * Allocate `bytes`, rounded up to pages, of zeros. Each member calls it with the same arguments; all get the same
 * address. Returns NULL, with a line that says why: the members' arguments differ (then all get NULL), no room, a dead
 * member.
 */
void *svm_alloc(size_t bytes, enum svm_model model);
/* Change the model of the region that begins at `at`. Each member calls it with the same arguments. Returns 0;
 * -EINVAL: no such region or model, the members' arguments differ, or one has no memory for copies; -ENOMEM: this one
 * has none; -ETIMEDOUT: a dead member; -EPIPE: it has failed at some members only. After the last two, all regions and
 * locks are lost, and the next call of all waits for all members, to begin anew with them.
 */
int svm_change(void *at, enum svm_model model);

/* Make data visible that others wrote and released before. */
void svm_acquire(void);
/* Bring data that this core wrote to memory. */
void svm_release(void);
/* Wait for all members, with a release before and an acquire after. Returns 0; -ETIMEDOUT: a dead member; -ECANCELED:
 * the thread was asked to end. */
int svm_barrier(void);
/* Take lock number `n`, below SVM_LOCKS; this is an acquire. Returns 0, -EINVAL, -EBUSY: this core holds it;
 * -ETIMEDOUT: the holder is dead, or the core that the lock's word names does not hold it; -ECANCELED; -EPIPE: no call
 * of all has come before, or the last one has failed. */
int svm_lock(unsigned n);
/* Release memory, then the lock. Returns 0, -EINVAL, -EPERM: this core does not hold it. */
int svm_unlock(unsigned n);

void svm_stats(struct svm_stats *s);
/* Tell the emulator's clocks (tools/plugin) that this core begins or ends the measured part. Any context. */
void svm_mark_begin(void);
void svm_mark_end(void);

#endif
