/* SPDX-License-Identifier: MIT */
/*
 * The word of a thread's end (process/pool.c): the thread stores its result, then ends by a call, and the kernel takes
 * the process's lock and clears the word. Another thread reads the word (acquire) until it is 0, and uses the result.
 * RISC-V's memory model (RVWMO) lets the stores of a hart become visible in any order unless a fence or a release
 * orders them; taking a lock is an acquire, which orders only what follows it. So the hart's stores wait in a buffer of
 * which any may come next; a fence lets none before it stay.
 * Claim: who reads 0 in the word reads the result.
 * -DBROKEN_FENCE clears the word without a fence.
 * -DBROKEN_ACQUIRE reads the result before the word, as a plain load may.
 */
bool result, word = true;         /* in memory */
bool result_waits, word_waits;    /* in the ending hart's buffer */
bool stored;                      /* the hart has made its last store */

proctype buffer()
{
    do
    :: atomic { result_waits -> result = true; result_waits = false }
    :: atomic { word_waits -> word = false; word_waits = false }
    :: stored && !result_waits && !word_waits -> break
    od
}

proctype ends()
{
    result_waits = true;
#ifndef BROKEN_FENCE
    (!result_waits); /* fence rw, w */
#endif
    word_waits = true;
    stored = true
}

proctype joins()
{
    bool seen;
#ifdef BROKEN_ACQUIRE
    seen = result;
    (!word);
#else
    (!word);
    seen = result;
#endif
    assert(seen)
}

init { atomic { run buffer(); run ends(); run joins() } }
