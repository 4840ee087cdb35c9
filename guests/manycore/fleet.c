/* SPDX-License-Identifier: MIT */
/*
 * fleet.c - what a cluster of a fleet reaches: a line "WHAT HOW: CAUSE" for each access, 99 for none. The first of two
 * clusters is rung by the second one, and tries; the second one is rung, and says so.
 */
#include "guest.h"

enum { REGISTERS = 16, TABLE = 0x1000 }; /* of the device: bytes; where its interrupt table is */

static void ring_cluster(u32 number)
{
    fence();
    *(volatile u32 *)(board.doorbells + 12) = number << 16;
}

static void try_all(void)
{
    char what[] = "register 0";
    say_access("own slice's end", board.memory + board.memory_size - 4, "l");
    say_access("behind the slice", board.memory + board.memory_size, "ls");
    say_access("firmware", 0x80000000, "ls");
    say_access("firmware's table", 0x80200000, "ls");
    say_access("own outbox", board.outbox, "ls");
    say_access("foreign outbox", (ulong)outbox(1 - board.number), "ls");
    say_access("NoC slice's end", board.noc + board.noc_size - 4, "ls");
    say_access("behind the NoC slice", board.noc + board.noc_size, "ls");
    for (ulong at = 0; at < REGISTERS; at += 4, what[sizeof(what) - 2]++)
        say_access(what, board.doorbells + at, "ls");
    say_access("interrupt table", board.doorbells + TABLE, "ls");
    say_access("configuration space", 0x30008000, "ls");
    say_access("machine's interrupts", 0x24000000, "ls");
    say_access("supervisor's interrupts", 0x28000000, "ls");
    say_access("MSWI", 0x02000000, "ls");
    say_access("UART", 0x10000000, "ls");
    say_access("finisher", 0x00100000, "ls");
}

/* A hart of this cluster that another one has rung by a call. */
void guest_hart(ulong hart)
{
    outbox(board.number)[2] = 1;
    while (!(csr_read(sip) & 2))
        wfi();
    say("hart %lu was rung\n", hart);
    outbox(board.number)[3] = 1;
}

void guest_main(ulong hart, ulong start_number)
{
    (void)hart;
    say("life %lu\n", start_number);
    if (board.number) {
        outbox(1)[1] = 1;
        ring_cluster(0);
        wait_until(outbox(0)[1]);
        say("rung by the first\n");
        outbox(1)[4] = 1;
        ring_cluster(0);
        for (;;)
            wfi();
    }
    wait_until(outbox(1)[1]);
    say("rung by the second\n");
    outbox(0)[1] = 1;
    ring_cluster(1);
    wait_until(outbox(1)[4]);
    try_all();
    hart_start(own_hart(1));
    while (!outbox(0)[2])
        ;
    sbi_call(SBI_IPI, 0, 1ul << own_hart(1), 0, 0, 0);
    while (!outbox(0)[3])
        ;
    say("fleet: done\n");
    power_off(false);
}
