/* SPDX-License-Identifier: MIT */
/* fresh.c - for a board whose memory is zero at reset: which of it was never used. One address tells that, because the
 * allocator takes the lowest pages first. */
#include <core/frames.h>

static paddr_t fresh = (paddr_t)-1; /* no page from here on was ever allocated or freed, and all are zero */

__init_text void frames_are_zero(paddr_t from) { fresh = from; }

bool frames_note_use(paddr_t base, paddr_t end)
{
    bool zero = base >= fresh;
    fresh = MAX(fresh, end);
    return zero;
}
