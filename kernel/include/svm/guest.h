/* SPDX-License-Identifier: MIT */
/*
 * svm/guest.h - strong pages as the memory of a guest whose virtual processors are on several cores, one a core
 * (docs/scc-linux.md). The cores are the members, and the pages are one strong region.
 *
 * An instruction of the guest may need several pages at once. A page that has come for it is *kept* until it has
 * retired, but for an older instruction of another core (kernel/svm/keep.c; tests/model/svm_keep.pml).
 *
 * A kernel has one such guest. Linked with CONFIG_SVM_KEEP; there are no other users of its pages.
 */
#ifndef AMALGAM_SVM_GUEST_H
#define AMALGAM_SVM_GUEST_H

#include <types.h>

struct svm_guest {
    /* This core is about to lose a page, which it maps nowhere any more when this returns. Any context, interrupts
     * off. */
    void (*lose)(unsigned page);
    /* Another member's kernel asks for something. Nothing of it was checked but `from`. Interrupt context. */
    void (*called)(unsigned from, u32 what, u32 a, u32 b);
};

/* The members are `cores` (bit n: core n). Boot, at most once. */
void svm_guest_choose(u64 cores, const struct svm_guest *g);
/* Allocate the pages with all members. Returns their address, or NULL: some member did not come. A thread. */
void *svm_guest_memory(unsigned pages);
/* Make a page this core's and keep it. Returns 0, or svm_own()'s error. Thread context, interrupts on. */
int svm_guest_take(unsigned page);
/* The instruction has retired: nothing is kept, and who has asked meanwhile gets its page. Thread or interrupt. */
void svm_guest_retired(void);
/* Returns whether a core waits for a page that is kept. Any context. */
bool svm_guest_asked(void);
/* Ask another member's kernel for something, and wait until it has done it. Returns 0, -ENODEV: there is none,
 * -ETIMEDOUT, -ECANCELED. Thread context, interrupts on, one thread of a core at a time. */
int svm_guest_call(unsigned core, u32 what, u32 a, u32 b);

#endif
