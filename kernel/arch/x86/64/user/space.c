/* SPDX-License-Identifier: MIT */
/*
 * space.c - address spaces of processes: hal/space.h.
 *
 * A space's top-level table is a copy of the kernel's, with one entry of its own. The kernel's entries never change
 * after boot: paging.c maps stacks and devices below entries that exist by then. Pages have 4 KiB or 2 MiB and are not
 * global, so that loading another space flushes them.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/space.h>
#include <string.h>

#define TOP_SHIFT 39

static paddr_t kernel_root;

void *space_new_table(struct space *s)
{
    void *table = page_alloc();
    s->pages += table != NULL;
    return table;
}

static __cold int copy_kernel(struct space *s)
{
    bool five = read_cr4() & CR4_LA57;
    const u64 *root = phys_to_virt(kernel_root), *level4 = five ? phys_to_virt(root[0] & PTE_ADDR) : root;
    if (level4[USER_BASE >> TOP_SHIFT & 511] & PTE_P)
        return -EOPNOTSUPP;
    s->root = space_new_table(s);
    s->level4 = five ? space_new_table(s) : s->root;
    if (!s->root || !s->level4)
        return -ENOMEM;
    memcpy(s->root, root, PAGE_SIZE);
    memcpy(s->level4, level4, PAGE_SIZE);
    if (five)
        s->root[0] = virt_to_phys(s->level4) | PTE_P | PTE_W | PTE_U;
    return 0;
}

__cold int space_init(struct space *s)
{
    *s = (struct space){ 0 };
    if (!kernel_root)
        kernel_root = read_cr3() & PTE_ADDR;
    int err = copy_kernel(s);
    if (err)
        space_free(s);
    return err;
}

space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    u64 *entry = &s->level4[va >> TOP_SHIFT & 511];
    unsigned shift = TOP_SHIFT;
    for (u64 e; shift > PAGE_SHIFT && (e = READ_ONCE(*entry)) && !(e & PTE_PS); entry = &entry[va >> shift & 511]) {
        shift -= 9;
        entry = phys_to_virt(e & PTE_ADDR);
    }
    *size = 1ull << shift;
    return entry;
}

/* Clear the entries of a table whose entries map 1 << shift bytes, and, unless these are pages, the tables below it;
 * tables in [from, end) are not entered. Large pages lie there. */
static __cold void clear_below(u64 *table, unsigned shift, paddr_t from, paddr_t end)
{
    for (unsigned i = 0; i < 512; i++) {
        paddr_t pa = table[i] & PTE_ADDR;
        if (pa >= from && pa < end)
            table[i] = 0;
        else if (table[i] && shift > PAGE_SHIFT)
            clear_below(phys_to_virt(pa), shift - 9, from, end);
    }
}

__cold void space_clear(struct space *s, paddr_t from, paddr_t end)
{
    u64 below = s->level4 ? s->level4[USER_BASE >> TOP_SHIFT & 511] : 0;
    if (below)
        clear_below(phys_to_virt(below & PTE_ADDR), TOP_SHIFT - 9, from, end);
}

unsigned space_pages(const struct space *s) { return s->pages; }

/* Free a table and, unless it maps pages, the tables below it. */
static __cold void free_below(u64 entry, unsigned shift)
{
    if (!(entry & PTE_P))
        return;
    u64 *table = phys_to_virt(entry & PTE_ADDR);
    for (unsigned i = 0; i < 512 && shift > PAGE_SHIFT; i++)
        free_below(table[i], shift - 9);
    page_free(table);
}

__cold void space_free(struct space *s)
{
    if (s->level4)
        free_below(s->level4[USER_BASE >> TOP_SHIFT & 511], TOP_SHIFT - 9);
    if (s->level4 && s->level4 != s->root)
        page_free(s->level4);
    if (s->root)
        page_free(s->root);
    *s = (struct space){ 0 };
}

void space_leave(void) { write_cr3(kernel_root); }
