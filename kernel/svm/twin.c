/* SPDX-License-Identifier: MIT */
/*
 * twin.c - lazy pages by copies in the core's own memory, where all caches serve them (Keleher et al., TreadMarks,
 * USENIX 1994, with shared memory as every page's home).
 *
 * The first access copies the page; the first store makes a second copy, the twin, which stays as it is. A release
 * compares the two and stores the bytes that differ into the shared page, so two cores may write different bytes of a
 * page. An acquire does the same, then forgets all copies: nobody knows which pages others have written.
 *
 * A region has room for two copies of each of its pages from its allocation on: no access can fail for memory. (A
 * process's thread can make one before its region's allocation has returned.)
 */
#include <core/frames.h>
#include <hal/memory.h>
#include <string.h>

#include "state.h"

enum { ABSENT, COPIED, WRITTEN };

static u8 state[SVM_PAGES];
static u16 copied[SVM_PAGES]; /* pages that are not ABSENT, or are being copied */
static unsigned n_copied;

static u32 *copy_of(const struct svm_region *r, unsigned page)
{
    return (u32 *)(r->copies + (page - r->first) * PAGE_SIZE);
}

static u32 *twin_of(const struct svm_region *r, unsigned page)
{
    return (u32 *)(r->copies + (r->pages + page - r->first) * PAGE_SIZE);
}

bool svm_has_copies(void) { return READ_ONCE(n_copied) != 0; }

void svm_twin(const struct svm_region *r, unsigned page, bool write)
{
    u32 *copy = copy_of(r, page);
    if (state[page] == ABSENT) {
        copied[n_copied] = (u16)page;
        WRITE_ONCE(n_copied, n_copied + 1); /* before it is made: who acquires meanwhile waits for the lock */
        svm_show_inside(page, false);
        memcpy(copy, (const void *)svm_address(page), PAGE_SIZE);
        state[page] = COPIED;
        svm_count.copied++;
    }
    if (write && state[page] == COPIED) {
        memcpy(twin_of(r, page), copy, PAGE_SIZE);
        state[page] = WRITTEN;
    }
    svm_map(page, virt_to_phys(copy), state[page] == WRITTEN);
}

static void store_bytes(volatile u8 *to, u32 word, u32 differs)
{
    for (; differs; differs >>= 8, word >>= 8, to++)
        if (differs & 0xff) {
            *to = (u8)word;
            svm_count.merged++;
        }
}

static void merge(const struct svm_region *r, unsigned page)
{
    const u32 *copy = copy_of(r, page), *twin = twin_of(r, page);
    svm_hide_outside(page); /* another thread of the process waits with its store, until there can be a twin again */
    svm_show_inside(page, true);
    for (unsigned i = 0; i < PAGE_SIZE / sizeof(*copy); i++)
        if (copy[i] != twin[i])
            store_bytes((volatile u8 *)svm_address(page) + i * sizeof(*copy), copy[i], copy[i] ^ twin[i]);
    state[page] = COPIED;
    svm_map(page, virt_to_phys(copy), false);
}

void svm_twins_merge(void)
{
    for (unsigned i = 0; i < n_copied; i++)
        if (state[copied[i]] == WRITTEN)
            merge(svm_region_of(copied[i]), copied[i]);
}

void svm_twins_forget(void)
{
    svm_twins_merge();
    for (unsigned i = 0; i < n_copied; i++) {
        svm_hide(copied[i]);
        state[copied[i]] = ABSENT;
    }
    n_copied = 0;
}
