/* SPDX-License-Identifier: MIT */
/* lies.h - what a hostile cluster's kernel writes into its outbox: a greeting as kernel/cluster/lane.h has it, so that
 * the others listen, and then anything (liar.c, rogue.c). */
#ifndef GUESTS_MANYCORE_LIES_H
#define GUESTS_MANYCORE_LIES_H

#include "guest.h"

#define HALF 2048 /* bytes that a lane takes in an outbox */
/* Words of a half, how many there are, and where messages begin. */
enum { EPOCH, ECHO, PUT, TAKEN, ASK, ANSWER, NEWS, UNWANTED = 13 };
enum { WORDS = 16, SLOTS = 16, LITTLES = 400, NOTICES = 432 };
enum { LITTLE_AT = 1, BUFFER_AT = 3, SLOT_AT = 19 }; /* their bits in PUT and TAKEN */

static u64 state;

static u32 draw(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(state >> 33);
}

/* What a right kernel would write, so that the next lie is believed. */
static void greet(volatile u32 *ours, const volatile u32 *theirs)
{
    if (!ours[EPOCH])
        ours[EPOCH] = 2 * (draw() | 1);
    ours[ECHO] = theirs[EPOCH];
    ours[ANSWER] = theirs[ASK];
}

static void lie(volatile u32 *ours, const volatile u32 *theirs)
{
    switch (draw() % 10) {
    case 0: ours[PUT] = 2 * draw() % (1 << 27); break;
    case 1: ours[PUT] = theirs[TAKEN] ^ 2 << draw() % 26; break;
    case 2: ours[TAKEN] = theirs[PUT]; break;
    case 3: ours[draw() % WORDS] = draw(); break;
    case 4: ours[EPOCH] = 2 * draw(); break;
    case 5: { /* a signal that may be right */
        u32 slot_number = draw() % 2, *slot = (u32 *)ours + LITTLES + 16 * slot_number;
        slot[0] = 2 * (draw() % 8);
        slot[1] = 2 * (draw() % 3) | (draw() % 6) << 8 | (draw() % 4) << 16 | (draw() % 50) << 24;
        for (unsigned i = 2; i < 16; i++)
            slot[i] = draw() % 3 ? draw() & 0x03030303 : draw();
        ours[PUT] = theirs[TAKEN] ^ 1 << (LITTLE_AT + slot_number);
        break;
    }
    case 6: { /* a notice, or what is wanted or given back */
        u32 buffer = draw() % 16;
        ours[NOTICES + 2 * buffer] = (draw() % 8) << 21 | (draw() & 0x330fff) << 1 | draw() % 8 / 7;
        ours[NOTICES + 2 * buffer + 1] = draw();
        ours[PUT] = theirs[TAKEN] ^ 1 << (BUFFER_AT + buffer);
        ours[TAKEN] ^= draw() % 2 ? 1 << (BUFFER_AT + draw() % 16) : 0;
        ours[UNWANTED] = draw();
        ours[UNWANTED - 1] += 2;
        break;
    }
    default: { /* a mail that may be right */
        u32 number = draw() % 8, *slot = (u32 *)ours + SLOTS + 48 * number;
        slot[0] = 2 * number;
        slot[1] = draw() % 8 / 7 * 2 | (draw() % 6) << 8 | (draw() % 4) << 16 | (draw() % 130) << 24;
        for (unsigned i = 2; i < 34; i++)
            slot[i] = draw() % 3 ? draw() & 0x03030303 : draw();
        ours[PUT] = theirs[TAKEN] ^ 1 << (SLOT_AT + number);
    }
    }
}

#endif
