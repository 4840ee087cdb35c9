/* SPDX-License-Identifier: MIT */
/* show.c - maps pages on this core, with type MPBT, and makes writes visible between cores. */
#include <core/init.h>
#include <core/log.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <hal/mpbt.h>
#include <hal/aperture.h>

#include "state.h"

static u32 shown[SVM_PAGES / 32]; /* a bit a page; interrupts change it, too */

static paddr_t frame_at(unsigned page) { return SCC_SVM_PAGES + svm_frame(page) * PAGE_SIZE; }

void svm_show_inside(unsigned page, bool write)
{
    hal_aperture_show(svm_address(page), frame_at(page), write);
    __atomic_fetch_or(&shown[page / 32], 1u << page % 32, __ATOMIC_RELAXED);
    mpbt_page((const void *)svm_address(page));
}

void svm_show(unsigned page, bool write)
{
    svm_show_inside(page, write);
    svm_show_outside(page, frame_at(page), write);
}

void svm_hide(unsigned page)
{
    hal_aperture_hide(svm_address(page));
    svm_hide_outside(page);
    __atomic_fetch_and(&shown[page / 32], ~(1u << page % 32), __ATOMIC_RELAXED);
}

unsigned svm_next_shown(unsigned page)
{
    for (u32 bits; page < SVM_PAGES; page = (page / 32 + 1) * 32) {
        bits = READ_ONCE(shown[page / 32]) >> page % 32;
        if (bits)
            return page + bit_msb32(bits & -bits);
    }
    return SVM_PAGES;
}

void svm_invalidate(void) { mpbt_invalidate(); }

/* A store to a line that no other core uses drains the write-combining buffer. */
void svm_drain(void) { mpbt_drain((volatile u32 *)(SCC_SVM_LINES + scc_core * CACHE_LINE)); }

void svm_mark_leave(unsigned page) { cache_mark_leave((const void *)(SCC_SVM_PAGES + svm_frame(page) * PAGE_SIZE)); }
void svm_mark_begin(void) { CACHE_MARK(1); }
void svm_mark_end(void) { CACHE_MARK(2); }

static __init_text void show_start(void)
{
    int err = hal_aperture_init(SVM_BASE, SVM_SIZE);
    if (err)
        panic("svm: no place at %x: error %d", (u32)SVM_BASE, err);
}
INIT_CALL(show_start);
