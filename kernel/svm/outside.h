/* SPDX-License-Identifier: MIT */
/*
 * outside.h - shared pages of a process (svm/space.h): each is mapped twice, for the kernel and outside it, in the
 * process's space. Without SVM_OUTSIDE pages are for the kernels' own tasks, on all cores that were chosen to boot, and
 * space.c is not linked.
 */
#ifndef AMALGAM_SVM_OUTSIDE_H
#define AMALGAM_SVM_OUTSIDE_H

#include <core/wait.h>
#include <hal/aperture.h>
#include <svm/svm.h>

#ifndef SVM_OUTSIDE /* the build says 1 of a kernel that has processes */
#define SVM_OUTSIDE 0
#endif

/* The process whose pages they are; set once, at boot (space.c). */
struct svm_outside {
    const struct space *space; /* NULL: the pages are the kernels' own tasks' */
    uintptr_t at;              /* address of page `first` there */
    unsigned first, pages;     /* of SVM_PAGES */
    int error;                 /* of the last allocation */
    struct mutex changing;     /* a thread makes a page accessible, or a region is removed, or copies are */
};

extern struct svm_outside svm_outside;

static inline bool svm_is_outside(void) { return SVM_OUTSIDE && svm_outside.space; }
/* Return how many pages a region may have. */
static inline unsigned svm_most(void) { return SVM_OUTSIDE ? svm_outside.pages : SVM_PAGES; }
/* A process's threads use its pages at any time. -ECANCELED: the thread has to end. */
static inline int svm_pages_lock(void)
{
    return SVM_OUTSIDE && svm_outside.space ? mutex_lock(&svm_outside.changing) : 0;
}
static inline void svm_pages_unlock(void)
{
    if (SVM_OUTSIDE && svm_outside.space)
        mutex_unlock(&svm_outside.changing);
}
static inline uintptr_t svm_address_outside(unsigned page)
{
    return svm_outside.at + (page - svm_outside.first) * PAGE_SIZE;
}

/* Remember an allocation's error for its caller, which gets no region. Returns it. */
static inline int svm_failed(int err) { return SVM_OUTSIDE ? (svm_outside.error = err) : err; }

/* Show / hide a page in the process's space as svm_show() and svm_hide() do it in the kernel's. */
static inline void svm_show_outside(unsigned page, paddr_t pa, bool write)
{
    if (SVM_OUTSIDE && svm_outside.space)
        hal_aperture_show_outside(svm_outside.space, svm_address_outside(page), pa, write);
}
static inline void svm_hide_outside(unsigned page)
{
    if (SVM_OUTSIDE && svm_outside.space)
        hal_aperture_hide_outside(svm_outside.space, svm_address_outside(page));
}

#endif
