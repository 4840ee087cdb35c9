/* SPDX-License-Identifier: MIT */
/*
 * mail_send() against a receiver that sleeps (mail/receive.c): the sender posts and rings only a receiver that says it
 * sleeps; the receiver says so, looks, and blocks. A ring before the block is remembered (core/thread.h).
 * Claim: the receiver never sleeps for good while a message is there: the model has no invalid end state.
 * -DBROKEN_LOOK looks before it says that it sleeps.
 * -DBROKEN_SEND reads whether the receiver sleeps before it posts.
 */
#define MESSAGES 3

byte posted, taken;
bool sleeps, rung;

proctype sender()
{
    byte i;
    bool asleep;
    do
    :: i == MESSAGES -> break
    :: else ->
        i++;
#ifdef BROKEN_SEND
        asleep = sleeps;
        posted++;
#else
        posted++;
        asleep = sleeps;
#endif
        if
        :: asleep -> rung = true
        :: else -> skip
        fi
    od
}

inline wait_for_ring()
{
    rung;
    rung = false
}

proctype receiver()
{
    do
    :: taken == MESSAGES -> break
    :: else ->
#ifdef BROKEN_LOOK
        if
        :: posted > taken -> taken++
        :: else -> sleeps = true; wait_for_ring(); sleeps = false
        fi
#else
        sleeps = true;
        do
        :: posted > taken -> taken++; break
        :: else -> wait_for_ring()
        od;
        sleeps = false
#endif
    od
}

init { atomic { run sender(); run receiver() } }
