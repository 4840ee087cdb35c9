/* SPDX-License-Identifier: MIT */
/* bakery.c - takes the bakery lock: see partition/bakery.h; docs/bakery-lock.md argues for each step. One function
 * without a stack frame. */
#include <partition/bakery.h>
#include <partition/partition.h>
#include <arch/cpu.h>
#include <wcet.h>

/* The words are read from the last to the first by their offset: five or six instructions for each core. */
#define WORD ((s32)sizeof(u32))
static u32 word_at(const struct bakery *b, s32 offset)
{
    return *(const volatile u32 *)((const char *)b->word + offset);
}

bool mutex_start(struct bakery *b, u32 me)
{
    volatile u32 *word = b->word;
    u32 ticket, mine, since;
    s32 last = ((s32)core_count - 1) * WORD, left;

    do {
        LOOP_BOUND(1); /* once in 2^28 entries a second time, see below: that is beyond the bound */
        word[me] = BAKERY_CHOOSING;
        mp_fence(); /* A: a core that does not see our choosing has its ticket where we see it */
        ticket = BAKERY_CHOOSING;
        left = last;
        do {
            LOOP_CORES();
            u32 w = word_at(b, left);
            if (w > ticket)
                ticket = w;
        } while ((left -= WORD) >= 0);
        ticket = (ticket | 7) + 1 + me;
        /*
         * Tickets start again at 1 when the bakery is empty, but nothing forces it to become empty. A core that would
         * draw a ticket beyond the limit takes none, waits until all cores before it have left once, and draws again.
         * Meanwhile no core can draw more of the largest tickets, so this ends.
         */
        mine = likely(ticket < BAKERY_LIMIT) ? ticket : 0;
        word[me] = mine;
        mp_fence(); /* B: the ticket is written before the others' words are read */
        since = hal_now();
        left = last;
        do {
            /* Wait while a ticket or a choice is below ours; 0 becomes the largest number and is not below. */
            while (unlikely(word_at(b, left) - 1 < ticket - 1)) {
                LOOP_TURN();
                if ((hal_now() - since) >> LOCK_BOUND) {
                    word[me] = 0;
                    return false;
                }
            }
            LOOP_CORES();
        } while ((left -= WORD) >= 0);
    } while (unlikely(!mine));
    mp_fence(); /* C: reads under the lock come after this */
    return true;
}
