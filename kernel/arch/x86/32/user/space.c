/* SPDX-License-Identifier: MIT */
/*
 * space.c (32 bits) - address spaces of processes: hal/space.h.
 *
 * A space's page directory is a copy of the kernel's, with tables of its own for users' addresses. Pages are 4 KiB, and
 * loading another space flushes them all, as a Pentium has no global pages.
 */
#include "../paging.h"

#include <arch/cpu.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/space.h>
#include <string.h>

#define TABLE_SHIFT 22 /* log2 of the bytes that an entry of the directory maps */
#define ENTRIES     1024u
#define FIRST       (USER_BASE >> TABLE_SHIFT)
#define END         (USER_END >> TABLE_SHIFT)

static const pte_t *kernel_root;

void *space_new_table(struct space *s)
{
    void *table = page_alloc();
    s->pages += table != NULL;
    return table;
}

static pte_t *table_of(pte_t entry) { return phys_to_virt(own_address(entry & PTE_ADDR)); }

__cold int space_init(struct space *s)
{
    *s = (struct space){ 0 };
    if (!kernel_root)
        kernel_root = paging_share_root();
    for (unsigned i = FIRST; kernel_root && i < END; i++)
        if (kernel_root[i])
            return -EOPNOTSUPP;
    s->root = kernel_root ? space_new_table(s) : NULL;
    if (!s->root)
        return -ENOMEM;
    memcpy(s->root, kernel_root, PAGE_SIZE);
    return 0;
}

space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    pte_t *entry = &s->root[(u32)va >> TABLE_SHIFT], e = READ_ONCE(*entry);
    *size = e ? PAGE_SIZE : 1ull << TABLE_SHIFT;
    return e ? &table_of(e)[(u32)va >> PAGE_SHIFT & (ENTRIES - 1)] : entry;
}

__cold void space_clear(struct space *s, paddr_t from, paddr_t end)
{
    for (unsigned i = FIRST; s->root && i < END; i++) {
        paddr_t table = space_frame(s->root[i]);
        if (!s->root[i])
            continue;
        for (unsigned k = 0; k < ENTRIES && (table < from || table >= end); k++) {
            pte_t *entry = &table_of(s->root[i])[k];
            if (*entry && space_frame(*entry) >= from && space_frame(*entry) < end)
                *entry = 0;
        }
        if (table >= from && table < end)
            s->root[i] = 0;
    }
}

unsigned space_pages(const struct space *s) { return s->pages; }

__cold void space_free(struct space *s)
{
    for (unsigned i = FIRST; s->root && i < END; i++)
        if (s->root[i])
            page_free(table_of(s->root[i]));
    if (s->root)
        page_free(s->root);
    *s = (struct space){ 0 };
}

void space_leave(void) { write_cr3(bus_address(virt_to_phys(kernel_root))); }
