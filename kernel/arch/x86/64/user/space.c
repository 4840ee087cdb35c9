/* SPDX-License-Identifier: MIT */
/*
 * space.c - address spaces of processes: hal/space.h.
 *
 * A space's top-level table is a copy of the kernel's, whose entries never change after boot (paging.c maps
 * stacks and devices below entries that exist by then), with one entry of its own. Pages are 4 KiB and not global,
 * so that loading another space forgets them.
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

/* A table of the space's own. */
static u64 *new_table(struct space *s)
{
    u64 *table = page_alloc();
    s->pages += table != NULL;
    return table;
}

static __cold int copy_kernel(struct space *s)
{
    bool five = read_cr4() & CR4_LA57;
    const u64 *root = phys_to_virt(kernel_root), *level4 = five ? phys_to_virt(root[0] & PTE_ADDR) : root;
    if (level4[USER_BASE >> TOP_SHIFT & 511] & PTE_P)
        return -EOPNOTSUPP;
    s->root = new_table(s);
    s->level4 = five ? new_table(s) : s->root;
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

/* The entry for the page at `va`, its tables made on the way; NULL: no memory. */
static __cold u64 *entry_of(struct space *s, u64 va)
{
    u64 *table = s->level4;
    for (unsigned shift = TOP_SHIFT; shift > PAGE_SHIFT; shift -= 9) {
        u64 *entry = &table[va >> shift & 511];
        if (!(*entry & PTE_P)) {
            u64 *next = new_table(s);
            if (!next)
                return NULL;
            *entry = virt_to_phys(next) | PTE_P | PTE_W | PTE_U;
        }
        table = phys_to_virt(*entry & PTE_ADDR);
    }
    return &table[va >> PAGE_SHIFT & 511];
}

__cold int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    if (!IS_ALIGNED(va | pa | size, PAGE_SIZE) || !space_is_user(va, size) || rights >= (SPACE_WRITE | SPACE_EXEC))
        return -EINVAL;
    u64 flags = PTE_P | PTE_U | (rights & SPACE_WRITE ? PTE_W : 0) | (rights & SPACE_EXEC ? 0 : PTE_NX);
    for (u64 done = 0; done < size; done += PAGE_SIZE) {
        u64 *entry = entry_of(s, va + done);
        if (!entry)
            return -ENOMEM;
        if (*entry & PTE_P)
            return -EEXIST;
        *entry = (pa + done) | flags;
    }
    return 0;
}

unsigned space_pages(const struct space *s) { return s->pages; }

/* A table and, unless it maps pages itself, those below it. */
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
