/* SPDX-License-Identifier: MIT */
/* strong_space.c - what space.c is for memory whose pages come and go (strong.c): what is filled when one has come, and
 * what other vCPUs have this one forget. */
#include "para.h"

/* Fill the shadow with what was walked when its page was not here. Returns whether the page is here. */
static bool fill_walked(struct hal_vcpu *v)
{
    u32 filled = para_entry(v, para_strong.walked, para_strong.walked_va);
    para_strong.lacks = para_strong.walked = 0;
    if (!filled)
        return false;
    shadow_fill(v->shadow, para_strong.walked_va, filled);
    v->fast_exits++;
    return true;
}

void vcpu_came(struct hal_vcpu *v, unsigned page)
{
    para_strong.pages[page].here = true;
    if (para_strong.walked && fill_walked(v))
        para_strong.again = false;
}

void vcpu_forget(struct hal_vcpu *v, u32 va, u32 pages)
{
    for (; pages; pages--, va += PAGE_SIZE)
        para_forget(v, va);
}
