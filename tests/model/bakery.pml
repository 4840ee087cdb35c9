/* SPDX-License-Identifier: MIT */
/*
 * The bakery of partition/bakery.c: N cores, each takes it ROUNDS times.  One word a core is 0, CHOOSING, or
 * the unique ticket N * k + core; the kernel has 8 for N and 2^31 for LIMIT.
 *
 * Claims: never two inside; who is past its doorway (has written its ticket) before another one enters its own goes first;
 * tickets stay below LIMIT though nothing ever empties the bakery on purpose; nobody waits for ever (no invalid end state,
 * since all cores have to finish).
 *
 * -DBROKEN_CHOOSING leaves out that a core says it is choosing (Lamport's choosing[]).
 * -DBROKEN_LIMIT draws on beyond LIMIT as a register of that width would: modulo.
 * -DBROKEN_ORDER takes the largest ticket seen, not one above: not first come, first served.
 */
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef LIMIT
#define LIMIT 100
#endif
#define CHOOSING 1
#define BEFORE(a, b) ((a) != 0 && (a) < (b))

byte word[N];
byte inside, done;
/* ahead[a].by[b]: a had its ticket before b entered its doorway for the present round */
typedef set { bool by[N] };
set ahead[N];

inline draw()
{
    top = CHOOSING;
    i = 0;
    do
    :: i < N ->
        if
        :: word[i] > top -> top = word[i]
        :: else
        fi;
        i++
    :: else -> break
    od;
    /* (top | 7) + 1 + me of the kernel with 4 for 8 */
#ifdef BROKEN_ORDER
    ticket = (top / 4) * 4 + me;
    if
    :: ticket < 4 -> ticket = 4 + me
    :: else
    fi
#else
    ticket = (top / 4 + 1) * 4 + me
#endif
}

proctype core(byte me)
{
    byte ticket, top, i, round;
    do
    :: round < ROUNDS ->
        /* who has a ticket now is ahead of us */
        d_step {
            i = 0;
            do
            :: i < N -> ahead[i].by[me] = (word[i] > CHOOSING); i++
            :: else -> break
            od;
            i = 0;
#ifndef BROKEN_CHOOSING
            word[me] = CHOOSING
#endif
        };
again:
        draw();
#ifdef BROKEN_LIMIT
        ticket = ticket % LIMIT;
#else
        if
        :: ticket >= LIMIT ->
            word[me] = 0;
            i = 0;
            do /* step aside until all that are before us were gone once */
            :: i < N -> !BEFORE(word[i], ticket); i++
            :: else -> break
            od;
            i = 0;
            d_step { /* the doorway anew, and the order with it */
                do
                :: i < N -> ahead[i].by[me] = (word[i] > CHOOSING); i++
                :: else -> break
                od;
                i = 0;
                word[me] = CHOOSING
            };
            goto again
        :: else
        fi;
#endif
        word[me] = ticket;
        i = 0;
        do
        :: i < N -> !BEFORE(word[i], ticket); i++
        :: else -> break
        od;

        inside++;
        assert(inside == 1);
        assert(ticket < LIMIT);
        i = 0;
        do /* first come, first served: whoever was ahead has been inside since */
        :: i < N -> assert(!ahead[i].by[me]); i++
        :: else -> break
        od;
        inside--;
        d_step {
            i = 0;
            do
            :: i < N -> ahead[me].by[i] = false; i++
            :: else -> break
            od;
            i = 0;
            ticket = 0;
            top = 0;
            word[me] = 0
        };
        round++
    :: else -> break
    od;
    done++
}

init {
    byte c;
    atomic {
        do
        :: c < N -> run core(c); c++
        :: else -> break
        od
    };
    (done == N)
}
