/* SPDX-License-Identifier: MIT */
/*
 * The bakery: core/bakery.h tells its story, docs/bakery-lock.md argues each step.
 *
 * The way in without waiting is one function without a stack frame; it ends in a tail call to one of two
 * others when there is somebody to wait for.
 */
#include <core/bakery.h>
#include <core/partition.h>
#include <arch/cpu.h>
#include <wcet.h>

/* The doorway: a ticket above all that are seen. */
static inline u32 draw(volatile u32 *word, u32 me)
{
    const volatile u32 *other = word;
    u32 top = BAKERY_CHOOSING, left = core_count;

    word[me] = BAKERY_CHOOSING;
    mp_fence(); /* A: whoever does not see that we choose has its ticket where we see it */
    do {
        LOOP_CORES();
        u32 w = *other++;
        if (w > top)
            top = w;
    } while (--left);
    return (top | 7) + 1 + me;
}

/* Wait until no core has a ticket (or chooses) below ours: a word of 0 becomes the largest number and is below none. */
static __attribute__((noinline)) bool wait_turn(volatile u32 *word, u32 me, u32 ticket)
{
    const volatile u32 *other = word;
    u32 since = hal_now(), left = core_count;

    do {
        while (*other - 1 < ticket - 1) {
            LOOP_TURN();
            if (hal_now() - since > LOCK_BOUND) {
                word[me] = 0;
                return false;
            }
        }
        LOOP_CORES();
        other++;
    } while (--left);
    mp_fence(); /* C */
    return true;
}

/*
 * Tickets start again at 1 whenever the bakery is empty, but nothing makes it be so: the numbers could grow for ever.
 * Who would draw one beyond the limit steps aside until nobody has any but small ones. Nobody can draw more of the
 * largest then, so they go, and the one after them is at most BAKERY_LIMIT - 16 + 15.
 */
static __attribute__((noinline)) bool step_aside(volatile u32 *word, u32 me)
{
    u32 since = hal_now(), ticket;

    do {
        LOOP_WAITS();
        word[me] = 0;
        if (hal_now() - since > LOCK_BOUND)
            return false;
        for (u32 i = 0; i < core_count; i++) {
            while (word[i] >= BAKERY_LIMIT - 16) {
                LOOP_TURN();
                if (hal_now() - since > LOCK_BOUND)
                    return false;
            }
            LOOP_CORES();
        }
        ticket = draw(word, me);
    } while (ticket >= BAKERY_LIMIT);
    word[me] = ticket;
    mp_fence(); /* B */
    return wait_turn(word, me, ticket);
}

bool mutex_start(struct bakery *b, u32 me)
{
    volatile u32 *word = b->word;
    const volatile u32 *other = word;
    u32 ticket = draw(word, me), left = core_count;

    if (unlikely(ticket >= BAKERY_LIMIT))
        return step_aside(word, me);
    word[me] = ticket;
    mp_fence(); /* B: the ticket before the look at others' words */
    do {
        LOOP_CORES();
        if (unlikely(*other++ - 1 < ticket - 1))
            return wait_turn(word, me, ticket);
    } while (--left);
    mp_fence(); /* C: what the lock protects is read after this */
    return true;
}

void mutex_stop(struct bakery *b, u32 me)
{
    mp_fence(); /* D: what the lock protects was written before this */
    *(volatile u32 *)&b->word[me] = 0;
}
