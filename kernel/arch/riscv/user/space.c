/* SPDX-License-Identifier: MIT */
/*
 * space.c - address spaces of processes: hal/space.h.
 *
 * A space's root table is a copy of the kernel's, with own tables for user addresses. The kernel's root does not
 * change after boot: stacks and devices lie below entries that exist by then (cpu/stack.c). Pages are not global, so
 * loading another space flushes them.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/memory.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/space.h>
#include <string.h>

void *space_new_table(struct space *s)
{
    void *table = page_alloc();
    s->pages += table != NULL;
    return table;
}

__cold int space_init(struct space *s)
{
    *s = (struct space){ 0 };
    s->root = space_new_table(s);
    if (!s->root)
        return -ENOMEM;
    unsigned first = pt_index(LINEAR_BASE, PT_TOP); /* nothing of the kernel lies below */
    memcpy(&s->root[first], &boot_table[0][first], (PT_ENTRIES - first) * sizeof(pte_t));
    s->satp = SATP_MODE | (unsigned long)(virt_to_phys(s->root) >> PAGE_SHIFT);
    return 0;
}

space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    unsigned level = PT_TOP;
    pte_t *entry = &s->root[pt_index((unsigned long)va, level)];
    for (pte_t e; level && (e = READ_ONCE(*entry)) && !(e & PTE_LEAF);
         entry = &entry[pt_index((unsigned long)va, level)]) {
        level--;
        entry = phys_to_virt(pte_address(e));
    }
    *size = 1ull << pt_shift(level);
    return entry;
}

/* Clear the entries of a table, and of the tables below it, that map frames in [from, end). All large pages do. */
static __cold void clear_entries(pte_t *entry, unsigned n, unsigned level, paddr_t from, paddr_t end)
{
    for (; n; n--, entry++) {
        paddr_t pa = pte_address(*entry);
        if (pa >= from && pa < end)
            *entry = 0;
        else if (*entry && level)
            clear_entries(phys_to_virt(pa), PT_ENTRIES, level - 1, from, end);
    }
}

__cold void space_clear(struct space *s, paddr_t from, paddr_t end)
{
    unsigned first = pt_index(USER_BASE, PT_TOP), last = pt_index(USER_END - 1, PT_TOP);
    if (s->root)
        clear_entries(&s->root[first], last - first + 1, PT_TOP, from, end);
}

bool space_has_medium(void) { return machine.svnapot; }

unsigned space_pages(const struct space *s) { return s->pages; }

/* Free a table and the tables below it. */
static __cold void free_below(pte_t entry, unsigned level)
{
    if (!(entry & PTE_V))
        return;
    pte_t *table = phys_to_virt(pte_address(entry));
    for (unsigned i = 0; i < PT_ENTRIES && level; i++)
        free_below(table[i], level - 1);
    page_free(table);
}

__cold void space_free(struct space *s)
{
    for (unsigned i = pt_index(USER_BASE, PT_TOP); s->root && i <= pt_index(USER_END - 1, PT_TOP); i++)
        free_below(s->root[i], PT_TOP - 1);
    if (s->root)
        page_free(s->root);
    *s = (struct space){ 0 };
}

void space_leave(void)
{
    csr_write(satp, kernel_satp);
    paging_flush();
}
