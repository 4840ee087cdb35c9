/* SPDX-License-Identifier: MIT */
/*
 * space.c - shared pages for a process: svm/space.h. What the process names is turned into what the kernel's own tasks
 * name; all the rest is theirs, too.
 */
#include <errors.h>
#include <svm/space.h>

#include "state.h"

__init_text int svm_space_give(struct space *s, u64 cores, uintptr_t at, unsigned first, unsigned pages)
{
    int err = hal_aperture_init_outside(s, at, pages * PAGE_SIZE);
    if (err)
        return err;
    svm_outside = (struct svm_outside){ .space = s, .at = at, .first = first, .pages = pages };
    mutex_init(&svm_outside.changing);
    svm_choose(cores);
    return 0;
}

bool svm_space_has(u64 at) { return svm_is_outside() && at - svm_outside.at < svm_outside.pages * PAGE_SIZE; }

/* The kernel's own address of one of the process's; 0: it has none, and no region begins there. */
static void *inside(u64 at)
{
    return svm_space_has(at) ? (void *)(svm_address(svm_outside.first) + (uintptr_t)(at - svm_outside.at)) : NULL;
}

int svm_space_access(u64 at, bool write)
{
    int err = svm_pages_lock();
    if (err)
        return err;
    err = svm_access(svm_outside.first + (unsigned)((at - svm_outside.at) / PAGE_SIZE), write);
    svm_pages_unlock();
    return err;
}

int svm_space_alloc(unsigned pages, enum svm_model model, uintptr_t *at)
{
    const void *found = svm_alloc(pages * PAGE_SIZE, model);
    if (!found)
        return svm_outside.error;
    *at = svm_address_outside((unsigned)(((uintptr_t)found - SVM_BASE) / PAGE_SIZE));
    return 0;
}

int svm_space_change(u64 at, enum svm_model model) { return svm_change(inside(at), model); }
int svm_space_free(u64 at) { return svm_free(inside(at)); }

void svm_space_enter(void) { svm_program_begins(); }

void svm_space_leave(void) { svm_program_ended(); }
