/* SPDX-License-Identifier: MIT */
/*
 * paging.c - the kernel's page tables, which all harts share: boot's tables with rights by section, and all memory.
 *
 * Text is R-X, constants R--, everything else RW- and never executable. The range that boot has mapped (one table of
 * pages) is mapped page by page. The memory above it is mapped in the largest pages that fit.
 */
#include <arch/boot.h>
#include <arch/fdt.h>
#include <arch/memory.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>

extern const char image_start[], init_end[], rodata_end[], image_end[];

#define FIRST_SPAN ((u64)PT_ENTRIES << PAGE_SHIFT) /* bytes from the image on that boot has mapped */

static unsigned long next_device = DEVICES_BASE;

static bool fits(unsigned long va, paddr_t pa, u64 size, unsigned level)
{
    return IS_ALIGNED(va | pa, 1ull << pt_shift(level)) && size >> pt_shift(level);
}

int paging_map(unsigned long va, paddr_t pa, u64 size, pte_t flags)
{
    while (size) {
        unsigned level = PT_TOP;
        pte_t *entry = &boot_table[0][pt_index(va, level)];
        while (level && (*entry & PTE_V || !fits(va, pa, size, level))) {
            if (*entry & PTE_V && *entry & PTE_LEAF)
                return -EEXIST;
            if (!(*entry & PTE_V)) {
                void *table = page_alloc();
                if (!table)
                    return -ENOMEM;
                *entry = pte_of(virt_to_phys(table), PTE_V);
            }
            pte_t *table = phys_to_virt(pte_address(*entry));
            level--;
            entry = &table[pt_index(va, level)];
        }
        if (*entry & PTE_V)
            return -EEXIST;
        *entry = pte_of(pa, flags | PTE_V);
        va += 1ul << pt_shift(level);
        pa += 1ull << pt_shift(level);
        size -= 1ull << pt_shift(level);
    }
    paging_flush();
    return 0;
}

pte_t *paging_image_entry(const void *p) { return &boot_table[PT_TOP][pt_index((unsigned long)p, 0)]; }

static __init_text void set_rights(const char *from, const char *to, pte_t flags)
{
    for (const char *p = from; p < to; p += PAGE_SIZE)
        *paging_image_entry(p) = pte_of(virt_to_phys(p), flags | PTE_G | PTE_V);
}

/* Map a region of memory, without the part that boot has mapped. */
static __init_text void map_linear(paddr_t base, paddr_t end)
{
    base = MAX(ALIGN_DOWN(base, PAGE_SIZE), virt_to_phys(image_start) + FIRST_SPAN);
    end = ALIGN_UP(end, PAGE_SIZE);
    if (base >= end)
        return;
    int err = paging_map((unsigned long)phys_to_virt(base), base, end - base, PTE_DATA | PTE_G);
    if (err)
        panic("paging: cannot map %llx to %llx: error %d", base, end, err);
}

__init_text void paging_init(void)
{
    set_rights(image_start, init_end, PTE_TEXT);
    set_rights(init_end, rodata_end, PTE_CONST);
    set_rights(rodata_end, image_end, PTE_DATA);
    pte_t *tree = boot_table[2 * PT_TOP];
    for (unsigned i = 0; i < PT_ENTRIES && tree[i]; i++)
        tree[i] = 0;
    paging_flush();
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        const struct boot_region *r = &boot_info.region[i];
        if (r->type == BOOT_MEM_RAM && r->size)
            map_linear(r->base, r->base + r->size);
    }
}

/* The physical address decides whether accesses are cached (3.6). A range that large pages fit gets them. Boot only, so
 * no lock. */
__init_text void *hal_map_device(paddr_t pa, size_t size)
{
    unsigned long large = 1ul << pt_shift(1), offset = (unsigned long)pa & (PAGE_SIZE - 1), va = next_device;
    size = ALIGN_UP(size + offset, PAGE_SIZE);
    if (size >= large && IS_ALIGNED(pa, (paddr_t)large))
        va = ALIGN_UP(va, large);
    if (paging_map(va, pa - offset, size, PTE_DATA | PTE_G))
        return NULL;
    next_device = va + size + PAGE_SIZE;
    return (void *)(va + offset);
}
