/* SPDX-License-Identifier: MIT */
/*
 * The bakery with stores that wait in a buffer, as processors and QEMU have them: a store becomes visible to others some time
 * after the core that made it went on, or at its next fence.  Two cores, one after the other's fences A and B of
 * partition/bakery.c left out (-DBROKEN_A, -DBROKEN_B): then both get in.  (C and D order what the lock protects, which
 * has no part here.)
 *
 * A core has one word only and writes it in order, so its buffer is the last value that it wrote. The bus may take it
 * at any time (process bus).
 */
#define N 2
#define ROUNDS 2
#define CHOOSING 1
#define BEFORE(a, b) ((a) != 0 && (a) < (b))

byte word[N];   /* what others see */
byte stored[N]; /* what the core itself sees */
byte inside, done;

#define STORE(v) stored[me] = v
#define FENCE    word[me] = stored[me]
#define LOAD(i)  (i == me -> stored[i] : word[i])

proctype core(byte me)
{
    byte ticket, top, i, round;
    do
    :: round < ROUNDS ->
        STORE(CHOOSING);
#ifndef BROKEN_A
        FENCE; /* A */
#endif
        top = CHOOSING;
        i = 0;
        do
        :: i < N -> top = (LOAD(i) > top -> LOAD(i) : top); i++
        :: else -> break
        od;
        ticket = (top / 4 + 1) * 4 + me;
        STORE(ticket);
#ifndef BROKEN_B
        FENCE; /* B */
#endif
        i = 0;
        do
        :: i < N -> !BEFORE(LOAD(i), ticket); i++
        :: else -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        STORE(0);
        round++
    :: else -> break
    od;
    FENCE;
    done++
}

proctype bus(byte me)
{
end:
    do
    :: word[me] != stored[me] -> word[me] = stored[me]
    od
}

init {
    atomic { run core(0); run core(1); run bus(0); run bus(1) };
    (done == N)
}
