/* SPDX-License-Identifier: MIT */
/* order.c - see order.h. */
#include "order.h"

/* Those that were given a number are up to `last`. All others are above it, as they were above an older one. */
__cold u32 order_anew(u32 *first, size_t step, unsigned n)
{
    u32 last = 0;
    for (;;) {
        u32 *oldest = NULL;
        for (unsigned i = 0; i < n; i++) {
            u32 *at = (u32 *)((char *)first + i * step);
            if (*at > last && (!oldest || *at < *oldest))
                oldest = at;
        }
        if (!oldest)
            return last;
        *oldest = ++last;
    }
}
