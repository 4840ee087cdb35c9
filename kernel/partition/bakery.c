/* SPDX-License-Identifier: MIT */
/* The bakery: partition/bakery.h tells its story, docs/bakery-lock.md argues each step. One function without a stack
 * frame.
 */
#include <partition/bakery.h>
#include <partition/partition.h>
#include <arch/cpu.h>
#include <wcet.h>

/* Words are counted down by their offset: five or six instructions a core. */
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
        LOOP_BOUND(1); /* once in 2^28 entries a second time, see below: that one is beyond the bound */
        word[me] = BAKERY_CHOOSING;
        mp_fence(); /* A: whoever does not see that we choose has its ticket where we see it */
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
         * Tickets start again at 1 whenever the bakery is empty, but nothing makes it be so. Who would draw one beyond
         * the limit steps aside instead (no ticket), waits like everybody until those before it were gone once, and
         * draws again. Nobody can draw more of the largest meanwhile, so this ends.
         */
        mine = likely(ticket < BAKERY_LIMIT) ? ticket : 0;
        word[me] = mine;
        mp_fence(); /* B: the ticket before the look at others' words */
        since = hal_now();
        left = last;
        do {
            /* A ticket or a choice below ours; 0 becomes the largest number and is below none. */
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
    mp_fence(); /* C: what the lock protects is read after this */
    return true;
}
