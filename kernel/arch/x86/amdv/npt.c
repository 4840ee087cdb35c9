/* SPDX-License-Identifier: MIT */
/*
 * npt.c - nested page tables (APM 15.25; of VT-x: EPT): guest-physical to host-physical addresses.
 *
 * arch/nested.h has the format. The tables are built when a domain is created, with the largest pages that fit, and
 * never changed by a guest's request.
 */
#include <arch/boot.h>
#include <arch/nested.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/memory.h>

#define ENTRIES 512

static unsigned shift_of(unsigned level) { return 12 + 9 * (level - 1); }

static u64 *table_of(u64 entry) { return phys_to_virt(entry & PTE_ADDR); }

__init_text int stage2_init(struct stage2 *s2)
{
    u64 *root = page_alloc();
    if (!root)
        return -ENOMEM;
    s2->root = virt_to_phys(root);
    s2->levels = nested_levels();
    return 0;
}

static void free_table(u64 *t, unsigned level)
{
    for (unsigned i = 0; level > 1 && i < ENTRIES; i++)
        if ((t[i] & PTE_P) && !(t[i] & PTE_PS))
            free_table(table_of(t[i]), level - 1);
    page_clean(t);
}

void stage2_free(struct stage2 *s2)
{
    if (s2->root)
        free_table(phys_to_virt(s2->root), s2->levels);
    s2->root = 0;
}

/* Return the entry of `gpa` at *level. If the walk ends at a higher level, return the entry there and set *level to
 * it. `make`: create missing tables as long as there is memory. */
static u64 *entry_at(const struct stage2 *s2, gpa_t gpa, unsigned *level, bool make)
{
    u64 *t = phys_to_virt(s2->root);
    for (unsigned l = s2->levels;; l--) {
        u64 *e = &t[gpa >> shift_of(l) & (ENTRIES - 1)], *next;
        if (l > *level && make && !(*e & PTE_P) && (next = page_alloc()))
            *e = virt_to_phys(next) | NESTED_TABLE;
        if (l <= *level || !(*e & PTE_P) || *e & PTE_PS) {
            *level = l;
            return e;
        }
        t = table_of(*e);
    }
}

static bool in_range(const struct stage2 *s2, gpa_t gpa, u64 size)
{
    u64 limit = 1ul << (s2->levels == 4 ? 48 : 52);
    return IS_ALIGNED(gpa | size, PAGE_SIZE) && gpa < limit && size <= limit - gpa;
}

/* Returns the level of the largest page that fits: 1 GiB if the processor has such pages, 2 MiB, or 4 KiB. */
static unsigned largest_level(gpa_t gpa, paddr_t pa, u64 size, unsigned max)
{
    while (max > 1 && (!IS_ALIGNED(gpa | pa, 1ul << shift_of(max)) || size >> shift_of(max) == 0))
        max--;
    return max;
}

int stage2_map(struct stage2 *s2, gpa_t gpa, paddr_t pa, u64 size, unsigned prot)
{
    unsigned max = nested_has_gib() ? 3 : 2;
    u64 flags = nested_page(prot);
    if (!in_range(s2, gpa, size) || !IS_ALIGNED(pa, PAGE_SIZE))
        return -EINVAL;
    while (size) {
        unsigned want = largest_level(gpa, pa, size, max), level = want;
        u64 *e = entry_at(s2, gpa, &level, true);
        if ((*e & (PTE_P | PTE_PS)) == PTE_P) { /* there is a table of smaller pages already */
            level = want = 1;
            e = entry_at(s2, gpa, &level, true);
        }
        if (*e & PTE_P)
            return -EEXIST;
        if (level != want)
            return -ENOMEM;
        *e = pa | flags | (level > 1 ? PTE_PS : 0);
        u64 step = 1ul << shift_of(level);
        gpa += step;
        pa += step;
        size -= step;
    }
    return 0;
}

int stage2_unmap(struct stage2 *s2, gpa_t gpa, u64 size)
{
    if (!in_range(s2, gpa, size))
        return -EINVAL;
    while (size) {
        unsigned level = 1;
        u64 *e = entry_at(s2, gpa, &level, false);
        u64 step = *e & PTE_P ? 1ul << shift_of(level) : PAGE_SIZE;
        if (!IS_ALIGNED(gpa, step) || size < step)
            return -EINVAL; /* would split a large page: only whole mappings are removed */
        *e = 0;
        gpa += step;
        size -= step;
    }
    return 0;
}
