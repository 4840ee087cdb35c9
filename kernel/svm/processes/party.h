/* SPDX-License-Identifier: MIT */
/* party.h (processes) - shared pages may be for a process (svm/space.h): then each is mapped twice, for the kernel and
 * in the process's space. alone/party.h is the other one; the include path selects the folder. */
#ifndef AMALGAM_SVM_PARTY_H
#define AMALGAM_SVM_PARTY_H

#include <core/wait.h>
#include <hal/window.h>
#include <svm/svm.h>

/* Whose the shared pages are; set once, at boot. */
struct svm_party {
    const struct space *space; /* NULL: the kernels' own tasks' */
    uintptr_t at;              /* address of page `first` there */
    unsigned first, pages;     /* of SVM_PAGES */
    int error;                 /* of the last allocation */
    struct mutex changing;     /* a thread makes a page accessible, or a region is removed, or copies are */
};

extern struct svm_party svm_party;

static inline bool svm_is_process(void) { return svm_party.space; }
static inline unsigned svm_most(void) { return svm_party.pages; } /* pages that a region may have */
/* A process's threads use its pages at any time. -ECANCELED: the thread has to end. */
static inline int svm_pages_lock(void) { return svm_is_process() ? mutex_lock(&svm_party.changing) : 0; }
static inline void svm_pages_unlock(void)
{
    if (svm_is_process())
        mutex_unlock(&svm_party.changing);
}
static inline uintptr_t svm_outside(unsigned page) { return svm_party.at + (page - svm_party.first) * PAGE_SIZE; }

/* Remember an allocation's error for its caller, which gets no region. Returns it. */
static inline int svm_failed(int err) { return svm_party.error = err; }

/* Show / hide a page in the process's space as svm_show() and svm_hide() do it in the kernel's. */
static inline void svm_show_outside(unsigned page, paddr_t pa, bool write)
{
    if (svm_is_process())
        hal_window_show_outside(svm_party.space, svm_outside(page), pa, write);
}

static inline void svm_hide_outside(unsigned page)
{
    if (svm_is_process())
        hal_window_hide_outside(svm_party.space, svm_outside(page));
}

#endif
