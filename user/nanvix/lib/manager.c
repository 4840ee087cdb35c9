/* SPDX-License-Identifier: MIT */
/*
 * manager.c - see nanvix/runtime/mm/manager.h.
 *
 * A page that is shown is held in the cache, and its frame there is mapped at its address, too. So what is read by the
 * one is what was written by the other. The page that was shown first makes room: it is unmapped on all cores before
 * the cache may write it back.
 *
 * The lock is never held while memory of the caller is accessed: that may be remote, and the pager takes the lock.
 */
#include <nanvix/runtime/mm/manager.h>

#include "nanvix.h"

static struct {
    rpage_t page; /* RMEM_NULL: free */
    size_t pages; /* of the allocation that begins here; 0: none does */
} table[VMEM_PAGES];
static vaddr_t shown[VMEM_SHOWN]; /* 0: none */
static unsigned oldest;           /* of `shown`, if all are used */
static uint32_t lock;

static vaddr_t address_of(size_t i) { return VMEM_BASE + i * RMEM_BLOCK_SIZE; }

/* Returns the index of an address, or VMEM_PAGES. */
static size_t index_of(vaddr_t at)
{
    bool inside = WITHIN(at, VMEM_BASE, VMEM_BASE + VMEM_PAGES * RMEM_BLOCK_SIZE);
    return inside ? (at - VMEM_BASE) / RMEM_BLOCK_SIZE : VMEM_PAGES;
}

/* Returns the page of an address, or RMEM_NULL. */
static rpage_t page_at(vaddr_t at)
{
    size_t i = index_of(at);
    return i < VMEM_PAGES ? table[i].page : RMEM_NULL;
}

/* --- what is shown ------------------------------------------------------------------------------------------------ */

/* Returns where `shown` has this address, or VMEM_SHOWN. */
static unsigned place_of(vaddr_t at)
{
    unsigned i = 0;
    while (i < VMEM_SHOWN && shown[i] != at)
        i++;
    return i;
}

static void hide(unsigned place)
{
    nanvix_page_hide(shown[place]);
    nanvix_rcache_put(page_at(shown[place]), 0);
    shown[place] = 0;
}

static int show(vaddr_t at)
{
    rpage_t page = page_at(at);
    if (page == RMEM_NULL)
        return -EFAULT;
    if (place_of(at) < VMEM_SHOWN)
        return 0;
    unsigned place = place_of(0);
    if (place == VMEM_SHOWN) {
        place = oldest;
        oldest = (oldest + 1) % VMEM_SHOWN;
        hide(place);
    }
    void *here = nanvix_rcache_get(page);
    if (!here)
        return -EIO;
    int error = nanvix_page_show((vaddr_t)here, at);
    if (error)
        nanvix_rcache_put(page, 0);
    else
        shown[place] = at;
    return error;
}

int nanvix_rfault(vaddr_t vaddr)
{
    nanvix_lock_take(&lock);
    int error = show(vaddr & ~(vaddr_t)(RMEM_BLOCK_SIZE - 1));
    nanvix_lock_drop(&lock);
    return error;
}

/* --- allocations -------------------------------------------------------------------------------------------------- */

/* Returns the first of so many free pages in a row, or VMEM_PAGES. */
static size_t find_free(size_t pages)
{
    for (size_t i = 0, n = 0; i < VMEM_PAGES; i++) {
        n = table[i].page == RMEM_NULL ? n + 1 : 0;
        if (n == pages)
            return i + 1 - pages;
    }
    return VMEM_PAGES;
}

/* Returns 0, or -EIO: a server has not said that a page is free. */
static int give_back(size_t first, size_t pages)
{
    int error = 0;
    table[first].pages = 0;
    for (size_t i = first; i < first + pages; i++) {
        unsigned place = place_of(address_of(i));
        if (place < VMEM_SHOWN)
            hide(place);
        if (nanvix_rcache_free(table[i].page))
            error = -EIO;
        table[i].page = RMEM_NULL;
    }
    return error;
}

static bool take(size_t first, size_t pages)
{
    for (size_t i = first; i < first + pages; i++) {
        table[i].page = nanvix_rcache_alloc();
        if (table[i].page == RMEM_NULL) {
            give_back(first, i - first);
            return false;
        }
    }
    table[first].pages = pages;
    return true;
}

void *nanvix_vmem_alloc(size_t pages)
{
    if (!WITHIN(pages, 1, VMEM_PAGES + 1))
        return NULL;
    nanvix_lock_take(&lock);
    size_t first = find_free(pages);
    bool taken = first < VMEM_PAGES && take(first, pages);
    nanvix_lock_drop(&lock);
    return taken ? (void *)address_of(first) : NULL;
}

int nanvix_vmem_free(void *ptr)
{
    size_t i = index_of((vaddr_t)ptr);
    if (i == VMEM_PAGES || (vaddr_t)ptr != address_of(i))
        return -EFAULT;
    nanvix_lock_take(&lock);
    int error = table[i].pages ? give_back(i, table[i].pages) : -EFAULT;
    nanvix_lock_drop(&lock);
    return error;
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

/* Returns the page of n bytes at an address; RMEM_NULL: they are not within one. */
static rpage_t page_of_bytes(vaddr_t at, size_t n)
{
    if (!n || n > RMEM_BLOCK_SIZE || at % RMEM_BLOCK_SIZE + n > RMEM_BLOCK_SIZE)
        return RMEM_NULL;
    nanvix_lock_take(&lock);
    rpage_t page = page_at(at);
    nanvix_lock_drop(&lock);
    return page;
}

static size_t cannot(int error)
{
    nanvix_answer(error);
    return 0;
}

size_t nanvix_vmem_read(void *buf, const void *ptr, size_t n)
{
    rpage_t page = page_of_bytes((vaddr_t)ptr, n);
    if (!buf || page == RMEM_NULL)
        return cannot(-EINVAL);
    const char *here = nanvix_rcache_peek(page);
    if (!here)
        return 0;
    kmemcpy(buf, here + (vaddr_t)ptr % RMEM_BLOCK_SIZE, n);
    nanvix_rcache_put(page, 0);
    return n;
}

size_t nanvix_vmem_write(void *ptr, const void *buf, size_t n)
{
    rpage_t page = page_of_bytes((vaddr_t)ptr, n);
    if (!buf || page == RMEM_NULL)
        return cannot(-EINVAL);
    char *here = nanvix_rcache_get(page);
    if (!here)
        return 0;
    kmemcpy(here + (vaddr_t)ptr % RMEM_BLOCK_SIZE, buf, n);
    int error = nanvix_rcache_put(page, 0);
    return error ? cannot(error) : n;
}
