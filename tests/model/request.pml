/* SPDX-License-Identifier: MIT */
/*
 * request.pml - who sleeps in a remote call (kernel/cluster/request.c, master.c): two callers and the master.
 *
 * A caller exchanges the latest arrival for its own and then stores which one was before it; the master takes all and
 * waits for what is not stored yet. The master says that it may sleep, then looks once more; a caller leaves its
 * request, then looks whether the master sleeps. A caller sleeps only if it has changed its request from AWAITED to ASLEEP,
 * the master exchanges that for DONE and wakes only whom it found asleep. A thread's wake-up that comes before it blocks
 * is kept (wakeup.pml).
 *
 * Claims: nobody sleeps for good (an invalid end state is one who does); every request is served once; the master
 * touches no request whose caller has gone.
 * -DBROKEN_CALLER: a caller looks whether it is answered, then says that it sleeps.
 * -DBROKEN_MASTER: the master does not look again after it has said that it sleeps.
 * -DBROKEN_LEAVE: a caller that slept goes when it sees DONE, while the master still has to wake it.
 * -DBROKEN_LINK: the master does not wait for the second store of who arrives.
 */
#ifndef CALLS
#define CALLS 2
#endif
#define NOBODY 2
#define SELF   3 /* who was before it is not known yet */

mtype = { AWAITED, ASLEEP, DONE, LEFT };
mtype state[2];
bool valid[2], served[2], resting, token[2], for_master;
byte latest = NOBODY, earlier[2], gone;

proctype caller(byte who)
{
    byte calls = 0, before;
    do
    :: calls < CALLS ->
        calls++;
        state[who] = AWAITED;
        valid[who] = true;
        served[who] = false;
        earlier[who] = SELF;
        atomic { before = latest; latest = who };
        earlier[who] = before;
        if
        :: resting -> for_master = true
        :: else
        fi;
        if /* a few turns, or none */
        :: state[who] == DONE -> goto answered
        :: skip
        fi;
#ifdef BROKEN_CALLER
        if
        :: state[who] == DONE -> goto answered
        :: else -> state[who] = ASLEEP
        fi;
#else
        atomic {
            if
            :: state[who] == DONE -> goto answered
            :: else -> state[who] = ASLEEP
            fi
        };
#endif
        do
        :: state[who] == LEFT -> break
#ifdef BROKEN_LEAVE
        :: state[who] == DONE -> break
#endif
        :: state[who] == ASLEEP -> token[who]; token[who] = false
        od;
answered:
        assert(served[who]);
        valid[who] = false
    :: else -> break
    od;
    gone++
}

mtype was;
byte at, next;

inline finish(who)
{
    assert(valid[who] && !served[who]);
    served[who] = true;
    atomic { was = state[who]; state[who] = DONE };
    if
    :: was == ASLEEP ->
        token[who] = true;
        assert(valid[who]);
        state[who] = LEFT
    :: else
    fi
}

active proctype master()
{
end:
    do
    :: latest != NOBODY ->
        atomic { at = latest; latest = NOBODY };
        do
        :: at == NOBODY -> break
        :: else ->
#ifndef BROKEN_LINK
            earlier[at] != SELF;
#endif
            next = earlier[at];
            assert(next != SELF);
            finish(at);
            at = next
        od
    :: latest == NOBODY && gone < 2 ->
        resting = true;
        if
#ifndef BROKEN_MASTER
        :: latest != NOBODY
        :: else ->
#else
        :: true ->
#endif
end_asleep:
            for_master;
            for_master = false
        fi;
        resting = false
    :: gone == 2 -> break
    od
}

init {
    run caller(0);
    run caller(1)
}
