/* SPDX-License-Identifier: MIT */
/*
 * stage2.c - a guest's memory: hal/memory.h. A few ranges, so a list. Each vCPU flushes after a change, as elsewhere.
 *
 * A vCPU on another core may look a page up meanwhile, without a lock. So a range counts while it has a size, which is
 * written last; one that is unmapped keeps all else, and its place, for the same address.
 */
#include "para.h"

#include <core/frames.h>
#include <errors.h>

#define RANGES ((unsigned)(PAGE_SIZE / sizeof(struct stage2_range)))

__init_text int stage2_init(struct stage2 *s)
{
    *s = (struct stage2){ .range = page_alloc() };
    return s->range ? 0 : -ENOMEM;
}

void stage2_free(struct stage2 *s)
{
    page_free(s->range);
    *s = (struct stage2){ 0 };
}

int stage2_map(struct stage2 *s, gpa_t gpa, paddr_t pa, u64 size, unsigned prot)
{
    if (!size || (gpa | pa | size) & (PAGE_SIZE - 1) || gpa + size > 1ull << 32)
        return -EINVAL;
    unsigned place = s->n;
    for (unsigned i = 0; i < s->n; i++) {
        const struct stage2_range *r = &s->range[i];
        if (r->size && gpa < (u64)r->gpa + r->size && r->gpa < gpa + size)
            return -EEXIST;
        if (!r->size && r->gpa == gpa)
            place = i;
    }
    if (place == RANGES)
        return -ENOMEM;
    struct stage2_range *r = &s->range[place];
    r->gpa = (u32)gpa;
    r->at = phys_to_virt(pa);
    r->rights = ENTRY_P | ENTRY_U | (prot & S2_WRITE ? ENTRY_W : 0);
    __atomic_store_n(&r->size, (u32)size, __ATOMIC_RELEASE);
    WRITE_ONCE(s->n, MAX(s->n, place + 1));
    return 0;
}

int stage2_unmap(struct stage2 *s, gpa_t gpa, u64 size)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->range[i].gpa == gpa && s->range[i].size == size) {
            WRITE_ONCE(s->range[i].size, 0);
            return 0;
        }
    return -EINVAL;
}

const struct stage2_range *para_range(const struct stage2 *s, u32 gpa)
{
    for (unsigned i = 0; i < s->n; i++)
        if (gpa - s->range[i].gpa < s->range[i].size)
            return &s->range[i];
    return NULL;
}
