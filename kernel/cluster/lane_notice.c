/* SPDX-License-Identifier: MIT */
/* lane_notice.c - see lane_notice.h. */
#include "lane_notice.h"

#define LENGTHS (1u << (LANE_NOTICE_PORTS - 1))
#define NUMBERS (1u << (32 - LANE_NOTICE_NUMBER))
_Static_assert(NUMBERS > 2 * LANE_BUFFERS, "numbers of notices that wait differ");

u32 lane_notify(struct lane *l, unsigned ports, u32 of, const struct dma_page *page, unsigned n)
{
    u32 bits = 0;
    if (!l->up)
        return 0;
    for (const struct dma_page *end = page + n; page != end; page++) {
        struct lane_notice *s = &l->ours->notice[page->buffer];
        s->what = l->notified++ << LANE_NOTICE_NUMBER | ports << LANE_NOTICE_PORTS | (page->size - 1u) * LANE_STEP;
        s->of = of;
        noc_clean_line(s);
        bits |= 1u << page->buffer;
    }
    lane_put(l, bits << LANE_BUFFER_AT);
    return bits;
}

/* Notices of one call are mostly in buffers that follow each other: the search goes round, from where the last one was.
 */
int lane_take_notices(struct lane *l, struct lane_page *page)
{
    const struct lane_notice *all = l->theirs->notice;
    struct lane_page *at = page;
    u32 fresh = (l->seen.put ^ l->noted) & LANE_BUFFER_BITS, next = l->noticed;
    size_t i = l->notice_at;
    l->noted ^= fresh;
    for (unsigned passed = 0; fresh; i = (i + 1) % LANE_BUFFERS) {
        const struct lane_notice *s = &all[i];
        if (unlikely(passed++ == LANE_BUFFERS))
            return lane_lied(l);
        if (!(fresh >> (i + LANE_BUFFER_AT) & 1))
            continue;
        noc_invalidate_line(s);
        u32 what = READ_ONCE(s->what);
        if ((what ^ next << LANE_NOTICE_NUMBER) >> LANE_NOTICE_NUMBER)
            continue;
        *at++ = (struct lane_page){ .of = READ_ONCE(s->of),
                                    .length = (u16)(what / LANE_STEP % LENGTHS + 1),
                                    .ports = (u8)(what >> LANE_NOTICE_PORTS),
                                    .buffer = (u8)i };
        next++;
        passed = 0;
        fresh &= ~(1u << (i + LANE_BUFFER_AT));
    }
    l->noticed = next;
    l->notice_at = (u8)i;
    return (int)(at - page);
}

void lane_give_back(struct lane *l, u32 buffers)
{
    if (!l->up)
        return;
    lane_publish(l, &l->ours->places.taken, l->own.taken ^= buffers << LANE_BUFFER_AT);
    lane_tell(l);
}

__cold void lane_want_back(struct lane *l, u32 buffers)
{
    lane_publish(l, &l->ours->unwanted, l->ours->unwanted | buffers << LANE_BUFFER_AT);
    lane_tell_rarely(l);
}

u32 lane_given_back(struct lane *l, u32 taken)
{
    u32 changed = (taken ^ l->seen.taken) & LANE_BUFFER_BITS;
    if (unlikely(l->ours->unwanted & changed))
        lane_publish(l, &l->ours->unwanted, l->ours->unwanted & ~changed);
    return changed >> LANE_BUFFER_AT;
}
