/* SPDX-License-Identifier: MIT */
/*
 * request.pml - who sleeps in a remote call (kernel/cluster/request.c): a caller and the master each say that they may
 * sleep, then look once more; who has something leaves it, then looks whether the other sleeps. A store is seen by the
 * other's next load: there is a fence between the two in both. A thread's wake-up that comes before it blocks is kept
 * (wakeup.pml). Nobody sleeps for good: an invalid end state is one who does.
 * -DBROKEN_CALLER, -DBROKEN_MASTER: one of them looked before it said that it sleeps, and not again.
 */
#ifndef CALLS
#define CALLS 3
#endif

bool queued[2], left[2], asleep[2], resting, token[2], for_master;
byte gone;

inline look(who) { /* a few turns, or none */
    if
    :: left[who] -> goto answered
    :: skip
    fi
}

proctype caller(byte who)
{
    byte calls = 0;
    do
    :: calls < CALLS ->
        calls++;
        queued[who] = true;
        if
        :: resting -> for_master = true
        :: else
        fi;
        look(who);
#ifdef BROKEN_CALLER /* it looked before it said so */
        if
        :: left[who] -> goto answered
        :: else -> asleep[who] = true
        fi;
        token[who];
        token[who] = false;
#else
        asleep[who] = true;
        do
        :: left[who] -> break
        :: else ->
            token[who];
            token[who] = false
        od;
#endif
answered:
        left[who] = false;
        asleep[who] = false
    :: else -> break
    od;
    gone++
}

inline finish(who) {
    queued[who] = false;
    left[who] = true;
    if
    :: asleep[who] -> token[who] = true
    :: else
    fi
}

active proctype master()
{
end:
    do
    :: queued[0] -> finish(0)
    :: queued[1] -> finish(1)
    :: !queued[0] && !queued[1] && gone < 2 ->
#ifdef BROKEN_MASTER /* it does not look again */
        resting = true;
        for_master;
        for_master = false;
#else
        resting = true;
        if
        :: queued[0] || queued[1]
        :: else ->
end_asleep:
            for_master;
            for_master = false
        fi;
#endif
        resting = false
    :: gone == 2 -> break
    od
}

init {
    run caller(0);
    run caller(1)
}
