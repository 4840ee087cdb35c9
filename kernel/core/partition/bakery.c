/* SPDX-License-Identifier: MIT */
/* The bakery: core/bakery.h tells its story, docs/bakery-lock.md argues each step. One function without a stack frame.
 */
#include <core/bakery.h>
#include <core/partition.h>
#include <arch/cpu.h>
#include <wcet.h>

bool mutex_start(struct bakery *b, u32 me)
{
    volatile u32 *word = b->word;
    const volatile u32 *other;
    u32 ticket, mine, left, since;

    do {
        LOOP_BOUND(1); /* once in 2^28 entries a second time, see below: that one is beyond the bound */
        word[me] = BAKERY_CHOOSING;
        mp_fence(); /* A: whoever does not see that we choose has its ticket where we see it */
        ticket = BAKERY_CHOOSING;
        other = word;
        left = core_count;
        do {
            LOOP_CORES();
            u32 w = *other++;
            if (w > ticket)
                ticket = w;
        } while (--left);
        ticket = (ticket | 7) + 1 + me;
        /*
         * Tickets start again at 1 whenever the bakery is empty, but nothing makes it be so. Who would draw one beyond
         * the limit steps aside instead (no ticket), waits like everybody until those before it were gone once, and
         * draws again. Nobody can draw more of the largest meanwhile, so this ends.
         */
        mine = likely(ticket < BAKERY_LIMIT) ? ticket : 0;
        word[me] = mine;
        mp_fence(); /* B: the ticket before the look at others' words */
        other = word;
        left = core_count;
        since = hal_now();
        do {
            LOOP_CORES();
            u32 w = *other++;
            /* A ticket or a choice below ours; 0 becomes the largest number and is below none. */
            while (unlikely(w - 1 < ticket - 1)) {
                LOOP_TURN();
                if ((hal_now() - since) >> LOCK_BOUND) {
                    word[me] = 0;
                    return false;
                }
                w = other[-1];
            }
        } while (--left);
    } while (unlikely(!mine));
    mp_fence(); /* C: what the lock protects is read after this */
    return true;
}

void mutex_stop(struct bakery *b, u32 me)
{
    mp_fence(); /* D: what the lock protects was written before this */
    *(volatile u32 *)&b->word[me] = 0;
}
