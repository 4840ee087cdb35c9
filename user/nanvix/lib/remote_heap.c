/* SPDX-License-Identifier: MIT */
/*
 * remote_heap.c - nanvix_malloc() and nanvix_free() (posix/stdlib.h): a heap in remote memory (manager.h).
 *
 * Free blocks are a list by address, and neighbours in it become one. A block begins with its size in UNIT bytes,
 * itself included. Blocks and their sizes are remote, so whoever looks at them may wait for the pager, with the lock
 * held: the pager does not take it. The heap gives no page back.
 */
#include <nanvix/runtime/mm/manager.h>
#include <posix/stdlib.h>

#include "nanvix.h"

#define UNIT  sizeof(struct block)
#define GROWS 4u /* pages at least */

struct block {
    size_t units;
    struct block *next; /* of a free block */
};

static struct block list; /* its `next` is the first free one */
static uint32_t lock;

static bool meets(const struct block *b, const struct block *next) { return b != &list && b + b->units == next; }

static void put(struct block *b)
{
    struct block *before = &list;
    while (before->next && before->next < b)
        before = before->next;
    b->next = before->next;
    before->next = b;
    if (b->next && meets(b, b->next)) {
        b->units += b->next->units;
        b->next = b->next->next;
    }
    if (meets(before, b)) {
        before->units += b->units;
        before->next = b->next;
    }
}

/* Take the end of the first block that is large enough. Returns NULL if none is. */
static struct block *get(size_t units)
{
    for (struct block *before = &list, *b; (b = before->next); before = b) {
        if (b->units < units)
            continue;
        if (b->units == units) {
            before->next = b->next;
            return b;
        }
        b->units -= units;
        b += b->units;
        b->units = units;
        return b;
    }
    return NULL;
}

static bool grow(size_t units)
{
    size_t needed = (units * UNIT + RMEM_BLOCK_SIZE - 1) / RMEM_BLOCK_SIZE, pages = needed > GROWS ? needed : GROWS;
    struct block *b = nanvix_vmem_alloc(pages);
    if (!b && needed < pages)
        b = nanvix_vmem_alloc(pages = needed);
    if (!b)
        return false;
    b->units = pages * RMEM_BLOCK_SIZE / UNIT;
    put(b);
    return true;
}

void *nanvix_malloc(size_t size)
{
    if (!size || size > VMEM_PAGES * RMEM_BLOCK_SIZE || nanvix_pager_begin())
        return NULL;
    size_t units = (size + UNIT - 1) / UNIT + 1;
    nanvix_lock_take(&lock);
    struct block *b = get(units);
    if (!b && grow(units))
        b = get(units);
    nanvix_lock_drop(&lock);
    return b ? b + 1 : NULL;
}

void nanvix_free(void *ptr)
{
    if (!ptr)
        return;
    nanvix_lock_take(&lock);
    put((struct block *)ptr - 1);
    nanvix_lock_drop(&lock);
}
