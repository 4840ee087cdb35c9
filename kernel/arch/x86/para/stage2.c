/* SPDX-License-Identifier: MIT */
/* stage2.c - a guest's memory: hal/memory.h. A few ranges, so a list. Each vCPU flushes after a change, as elsewhere.
 */
#include "para.h"

#include <core/frames.h>
#include <errors.h>

struct stage2_range {
    u32 gpa, size;
    paddr_t pa;
    unsigned prot;
};

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
    s->range[s->n++] = (struct stage2_range){ (u32)gpa, (u32)size, pa, prot };
    return 0;
}

int stage2_unmap(struct stage2 *s, gpa_t gpa, u64 size)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->range[i].gpa == gpa && s->range[i].size == size) {
            s->range[i] = s->range[--s->n];
            return 0;
        }
    return -EINVAL;
}

u8 *para_page(const struct stage2 *s, u32 gpa, bool write, u32 *rights)
{
    for (unsigned i = 0; i < s->n; i++) {
        const struct stage2_range *r = &s->range[i];
        if (gpa - r->gpa >= r->size)
            continue;
        *rights = ENTRY_P | ENTRY_U | (r->prot & S2_WRITE ? ENTRY_W : 0);
        return write && !(r->prot & S2_WRITE) ? NULL : (u8 *)phys_to_virt(r->pa) + ((gpa - r->gpa) & ENTRY_FRAME);
    }
    return NULL;
}
