/* SPDX-License-Identifier: MIT */
/* stage2.c - a guest's memory: hal/memory.h. A few ranges, so a list. Each vCPU flushes after a change, as elsewhere.
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
    for (unsigned i = 0; i < s->n; i++)
        if (gpa < (u64)s->range[i].gpa + s->range[i].size && s->range[i].gpa < gpa + size)
            return -EEXIST;
    if (s->n == RANGES)
        return -ENOMEM;
    u32 rights = ENTRY_P | ENTRY_U | (prot & S2_WRITE ? ENTRY_W : 0);
    s->range[s->n++] = (struct stage2_range){ (u32)gpa, (u32)size, phys_to_virt(pa), rights };
    return 0;
}

int stage2_unmap(struct stage2 *s, gpa_t gpa, u64 size)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->range[i].gpa == gpa && s->range[i].size == size) {
            s->range[i] = s->range[--s->n];
            s->range[s->n] = (struct stage2_range){ 0 };
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
