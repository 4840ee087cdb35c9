/* SPDX-License-Identifier: MIT */
/*
 * svm/svm.h - shared virtual memory of the kernels of an SCC (MetalSVM paper, II; docs/svm.md).
 *
 * A range of addresses, SVM_BASE and on, shows the same pages of shared memory on every core that was chosen to boot:
 * these are the members. Members allocate together, all in the same order. No hardware keeps their caches coherent, so
 * a region has a model:
 *
 * - SVM_STRONG: a page has one owner, and only the owner has it mapped. Another core's access is a page fault, which
 * asks the owner for it (own.c). Reads and writes alike move the page.
 * - SVM_LAZY: all map all pages, writable. What one wrote before svm_release() another one sees after svm_acquire();
 *   a barrier is both, a lock's end and begin are.
 * - SVM_READ_ONLY: all map all pages, read-only; svm_change() ends the writing.
 *
 * Pages are of the SCC's type MPBT (hal/mpbt.h): written through, cached by L1 only, which forgets all of them at once.
 *
 * Words of other members are bounded before use. A member that does not answer its bell for SVM_PATIENCE_NS is dead:
 * who waits for it gets an error. In place of that error, an access to its page is a fault of the domain that made it.
 *
 * Calls are for threads with interrupts on, one thread of a core at a time, but where it is said otherwise.
 */
#ifndef AMALGAM_SVM_H
#define AMALGAM_SVM_H

#include <types.h>

#define SVM_BASE  0x90000000ul /* virtual */
#define SVM_PAGES 2816u        /* of all regions together */
#define SVM_SIZE  (SVM_PAGES * PAGE_SIZE)
#define SVM_LOCKS 64u

#define SVM_PATIENCE_NS 5000000000ull

enum svm_model { SVM_STRONG, SVM_LAZY, SVM_READ_ONLY };

struct svm_stats {
    u32 faults;  /* page faults that were served here */
    u32 taken;   /* strong pages that came here */
    u32 given;   /* and that left */
    u32 held;    /* requests that waited because the page had just come */
    u32 late;    /* requests for a page that had left already: dropped, who asked follows the page */
    u32 refused; /* requests with a wrong number, page or sender: dropped */
};

/* How many members there are, and the caller's number among them, from 0, by their cores' numbers. */
unsigned svm_members(void);
unsigned svm_rank(void);

/*
 * Allocate `bytes`, rounded up to pages, of zeros. Every member calls it, with the same arguments; all get the same
 * address. NULL, with a line that says why: the members do not agree (then for all of them), no room, a dead member.
 */
void *svm_alloc(size_t bytes, enum svm_model model);
/* Change the model of the region that begins at `at`. Every member calls it with the same arguments. 0; -EINVAL: no
 * such region or model, or the members do not agree; -ETIMEDOUT: a dead member. */
int svm_change(void *at, enum svm_model model);

/* See what the others wrote and released before. Any context. */
void svm_acquire(void);
/* Bring what this core wrote to memory. Any context. */
void svm_release(void);
/* Wait for all members; a release before and an acquire behind it. 0; -ETIMEDOUT: a dead member; -ECANCELED: the thread
 * was asked to end. */
int svm_barrier(void);
/* Lock number `n`, below SVM_LOCKS; an acquire. 0, -EINVAL, -ETIMEDOUT: the holder is dead, -ECANCELED. */
int svm_lock(unsigned n);
/* A release, then the lock's end. 0, -EINVAL, -EPERM: this core does not hold it. */
int svm_unlock(unsigned n);

void svm_stats(struct svm_stats *s);
/* Tell the emulator's clocks (tools/plugin) that this core begins or ends what is measured. Any context. */
void svm_mark_begin(void);
void svm_mark_end(void);

/*
 * A page fault at `at`. True: served, the access can be made again. False: none of SVM's, or it cannot be served, which
 * was said. Thread context, interrupts on. board/ calls it.
 */
bool svm_fault(uintptr_t at, bool write);

#endif
