/* SPDX-License-Identifier: MIT */
/*
 * liar.c - the kernel of a hostile cluster: it greets the others as kernel/cluster/lane.h has it, so that they listen,
 * and then writes anything into every word of its outbox and rings every hart of the board, `rings=` a step, from
 * `seed=`, without an end. Each thousandth step it says so, and how many rings the firmware's PMP has refused. With
 * `fleet=1` there is one register for all rings, and it writes anything into that.
 */
#include "lies.h"

static u32 refused;

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
