/* SPDX-License-Identifier: MIT */
/*
 * space.c - address spaces of processes: hal/space.h.
 *
 * A space's root table is a copy of the kernel's, with tables of its own for users' addresses. The kernel's root does
 * not change after boot with 64 bits: stacks and devices lie below entries that exist by then. Pages are 4 KiB and not
 * global, so that loading another space forgets them.
 */
#include <arch/cpu.h>
#include <arch/memory.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/space.h>
#include <string.h>

static pte_t *new_table(struct space *s)
{
    pte_t *table = page_alloc();
    s->pages += table != NULL;
    return table;
}

__cold int space_init(struct space *s)
{
    *s = (struct space){ 0 };
    s->root = new_table(s);
    if (!s->root)
        return -ENOMEM;
    memcpy(s->root, boot_table[0], PAGE_SIZE);
    s->satp = SATP_MODE | (unsigned long)(virt_to_phys(s->root) >> PAGE_SHIFT);
    return 0;
}

/* The entry for the page at `va`, its tables made on the way; NULL: no memory. */
static __cold pte_t *entry_of(struct space *s, unsigned long va)
{
    pte_t *table = s->root;
    for (unsigned level = PT_TOP; level; level--) {
        pte_t *entry = &table[pt_index(va, level)];
        if (!(*entry & PTE_V)) {
            pte_t *next = new_table(s);
            if (!next)
                return NULL;
            *entry = pte_of(virt_to_phys(next), PTE_V);
        }
        table = phys_to_virt(pte_address(*entry));
    }
    return &table[pt_index(va, 0)];
}

__cold int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    if (!IS_ALIGNED(va | pa | size, PAGE_SIZE) || !space_is_user(va, size) || rights >= (SPACE_WRITE | SPACE_EXEC))
        return -EINVAL;
    pte_t flags =
        PTE_V | PTE_U | PTE_R | PTE_A | (rights & SPACE_WRITE ? PTE_W | PTE_D : 0) | (rights & SPACE_EXEC ? PTE_X : 0);
    for (u64 done = 0; done < size; done += PAGE_SIZE) {
        pte_t *entry = entry_of(s, (unsigned long)(va + done));
        if (!entry)
            return -ENOMEM;
        if (*entry & PTE_V)
            return -EEXIST;
        *entry = pte_of(pa + done, flags);
    }
    return 0;
}

unsigned space_pages(const struct space *s) { return s->pages; }

/* A table and, unless it maps pages itself, those below it. */
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
