/* SPDX-License-Identifier: MIT */
/*
 * free.c - removes a region, which all members do together, as they allocate (alloc.c).
 *
 * Between the two barriers each member hides the region's pages and forgets the region. What was written to them has
 * been brought to memory by the first barrier, so no late store reaches the next region there. A thread that accesses
 * a page meanwhile is wrong: it gets the page as long as its core knows the region, and a fault from then on.
 */
#include <errors.h>

#include "state.h"

#define FREE                                                                                                           \
    (SVM_MODELS + 1u) /* in place of a model, in what members compare; SVM_MODELS says that there is no memory */

static int remove(struct svm_region *r)
{
    int err = svm_pages_lock();
    if (err)
        return err;
    svm_twins_forget(); /* before pages that have copies are hidden */
    unsigned end = r->first + r->pages;
    for (unsigned page = svm_next_shown(r->first); page < end; page = svm_next_shown(page + 1))
        svm_hide(page);
    svm_region_remove(r);
    svm_pages_unlock();
    return 0;
}

int svm_free(const void *at)
{
    struct svm_region *r = svm_region_at((uintptr_t)at);
    int err = svm_agree(0, FREE, (u32)(uintptr_t)at);
    if (!err)
        err = r ? remove(r) : -EINVAL;
    return svm_finish(err);
}
