/* SPDX-License-Identifier: MIT */
/* show.c - maps pages on this core, with type MPBT, and makes writes visible between cores. */
#include <core/init.h>
#include <core/log.h>
#include <hal/memory.h>
#include <hal/mpbt.h>
#include <hal/window.h>

#include "state.h"

void svm_show(unsigned page, bool write)
{
    hal_window_show(svm_address(page), SCC_SVM_PAGES + page * PAGE_SIZE, write);
    mpbt_page((const void *)svm_address(page));
}

void svm_hide(unsigned page) { hal_window_hide(svm_address(page)); }

void svm_invalidate(void) { mpbt_invalidate(); }

/* A store to a line that no other core uses drains the write-combining buffer. */
void svm_drain(void) { mpbt_drain((volatile u32 *)(SCC_SVM_LINES + scc_core * CACHE_LINE)); }

void svm_mark_leave(unsigned page) { cache_mark_leave((const void *)(SCC_SVM_PAGES + page * PAGE_SIZE)); }
void svm_mark_begin(void) { CACHE_MARK(1); }
void svm_mark_end(void) { CACHE_MARK(2); }

static __init_text void start(void)
{
    int err = hal_window_init(SVM_BASE, SVM_SIZE);
    if (err)
        panic("svm: no window at %x: error %d", (u32)SVM_BASE, err);
}
INIT_CALL(start);
