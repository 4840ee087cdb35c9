/* SPDX-License-Identifier: MIT */
/* pages.c - lazy pages by a process's calls: lazy.h. */
#include <amalgam/scc.h>
#include <process/chip.h>
#include <stdint.h>

#include "lazy.h"

#define PAGE 4096u

int pages_alloc(size_t bytes)
{
    int64_t at = amalgam_svm_alloc((unsigned)((bytes + PAGE - 1) / PAGE), AMALGAM_SVM_ALLOC_LAZY);
    return at < 0 ? LAZY_FAILED : (int)((uint32_t)at - CHIP_SVM);
}

void *pages_at(size_t offset, size_t bytes)
{
    (void)bytes;
    return (char *)CHIP_SVM + offset;
}

void pages_free(void *at, size_t bytes)
{
    (void)bytes;
    amalgam_svm_free(at);
}
void lazy_acquire(void) { amalgam_svm_acquire(); }
void lazy_release(void) { amalgam_svm_release(); }
