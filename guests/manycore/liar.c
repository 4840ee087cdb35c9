/* SPDX-License-Identifier: MIT */
/*
 * liar.c - the kernel of a hostile cluster: it greets the others as kernel/cluster/lane.h has it, so that they listen,
 * and then writes anything into every word of its outbox and rings every hart of the board, `rings=` a step, from
 * `seed=`, without an end. Each thousandth step it says so, and how many rings the firmware's PMP has refused. With
 * `fleet=1` there is one register for all rings, and it writes anything into that.
 */
#include "guest.h"

#define HALF 2048 /* bytes that a lane takes in an outbox */
/* Words of a half, how many there are, and where messages begin. */
enum { EPOCH, ECHO, PUT, TAKEN, ASK, ANSWER, UNWANTED = 13 };
enum { WORDS = 16, SLOTS = 16, LITTLES = 400, NOTICES = 432 };
enum { LITTLE_AT = 1, BUFFER_AT = 3, SLOT_AT = 19 }; /* their bits in PUT and TAKEN */

static u64 state;
static u32 refused;

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

/* A master or, as often, any hart of the board. What is not open to us is a fault, which stops nothing. */
static void ring_anybody(void)
{
    u32 harts = 0;
    if (argument("fleet", 0)) {
        *(volatile u32 *)(board.doorbells + 12) = draw() % 2 ? draw() % board.count << 16 : draw();
        return;
    }
    for (u32 c = 0; c < board.count; c++)
        harts += board.around[c].n_harts;
    u32 hart = draw() % 2 ? board.around[draw() % board.count].master : draw() % harts;
    refused += touch(STORE, board.doorbells + 4 * hart) != NO_FAULT; /* it stores an odd number */
}

void guest_main(ulong hart, ulong start_number)
{
    u32 rings = (u32)argument("rings", 1);
    state = argument("seed", 1);
    (void)hart;
    (void)start_number;
    for (u32 step = 1;; step++) {
        u32 peer = draw() % board.count;
        volatile u32 *ours = (volatile u32 *)(board.outbox + peer * HALF);
        const volatile u32 *theirs = (const volatile u32 *)(board.noc + peer * board.outbox_size + board.number * HALF);
        greet(ours, theirs);
        lie(ours, theirs);
        if (draw() % 64 == 0)
            *(volatile u32 *)(board.outbox + draw() % (board.outbox_size / 4) * 4) = draw();
        __asm__ volatile("fence" ::: "memory");
        for (u32 i = 0; i < rings; i++)
            ring_anybody();
        if (step % 1000 == 0)
            say("%d lies, %d rings refused\n", step, refused);
        sleep_until(csr_read(time) + 10);
    }
}

void guest_hart(ulong hart) { (void)hart; }
