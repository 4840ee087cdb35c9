/* SPDX-License-Identifier: MIT */
/*
 * The ticket lock of core/lock.h: N cores, each takes it ROUNDS times.
 * Claims: never two inside; entered in the order of the tickets drawn; nobody waits for ever.
 * -DBROKEN_DRAW draws the ticket with a load and a store instead of one atomic addition.
 * Tickets wrap at 4 here as they do at 65536 there.
 */
#define N 3
#define ROUNDS 2
#define WRAP 4

byte next, owner;
byte inside;
byte drawn[WRAP];  /* who drew which ticket last */
byte done;

proctype core(byte me)
{
    byte ticket, round;
    do
    :: round < ROUNDS ->
#ifdef BROKEN_DRAW
        ticket = next;
        next = (ticket + 1) % WRAP;
#else
        d_step { ticket = next; next = (next + 1) % WRAP; drawn[ticket] = me }
#endif
        (owner == ticket);
        inside++;
        assert(inside == 1);
#ifndef BROKEN_DRAW
        assert(drawn[owner] == me); /* first come, first served */
#endif
        inside--;
        owner = (owner + 1) % WRAP; /* only the holder writes it: a plain store */
        round++
    :: else -> break
    od;
    done++
}

init {
    atomic { run core(0); run core(1); run core(2) };
    (done == N)
}
