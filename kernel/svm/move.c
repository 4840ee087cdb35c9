/* SPDX-License-Identifier: MIT */
/*
 * move.c - calls that move pages near who uses them (svm/migrate.h).
 *
 * Who marks a page hides it, so that its own next touch is a fault, too. Whoever takes the page then finds the mark in
 * its home word (frame.c). The barriers of a collective call drain what members have written, and no page changes its
 * owner between them, as no member touches one.
 */
#include <errors.h>
#include <hal/cpu.h>
#include <svm/migrate.h>

#include "state.h"

#define NEXT_TOUCH (SVM_MODELS + 1) /* what the members agree on: no model, so no svm_change() */

/* Mark the page if this core owns it. Returns whether it does. */
static bool mark(unsigned page)
{
    unsigned long flags = irq_save();
    bool own = svm_owner(READ_ONCE(svm_shared()->owner[page])) == scc_core;
    if (own) {
        svm_hide(page);
        svm_home_mark(page);
    }
    irq_restore(flags);
    return own;
}

int svm_next_touch(void *at)
{
    const struct svm_region *r = svm_region_at((uintptr_t)at);
    int err = svm_agree(0, NEXT_TOUCH, (u32)(uintptr_t)at);
    if (!err && (!r || r->model != SVM_STRONG))
        err = -EINVAL;
    for (unsigned page = 0; !err && page < r->pages; page++)
        mark(r->first + page);
    return svm_finish(err);
}

int svm_move(void *at, size_t bytes)
{
    unsigned first = (unsigned)(((uintptr_t)at - SVM_BASE) / PAGE_SIZE);
    const struct svm_region *r = svm_region_of(first);
    size_t end = (uintptr_t)at % PAGE_SIZE + bytes;
    if (!r || r->model != SVM_STRONG || end < bytes || end > (size_t)(r->first + r->pages - first) * PAGE_SIZE)
        return -EINVAL;
    for (unsigned page = first; page < first + (end + PAGE_SIZE - 1) / PAGE_SIZE; page++) {
        int err = mark(page) ? svm_own(page) : 0;
        if (!err && svm_owner(READ_ONCE(svm_shared()->owner[page])) == scc_core &&
            svm_where((const void *)svm_address(page)) != (int)svm_here())
            err = -ENOMEM;
        if (err)
            return err;
    }
    return 0;
}
