/* SPDX-License-Identifier: MIT */
/*
 * A ring of frames and its bell (user/net/frames.h): one end puts frames and rings the other one if that sleeps; the other one
 * takes them, and sleeps at the tunnel's bell when there is none. A processor may execute a load before an earlier store: both
 * ends have a fence between them, and what is broken below is the order that it keeps.
 * Claims: each frame is taken once, in order, as it was put; nobody sleeps for ever while there is a frame (no invalid end state).
 * -DBROKEN_BELL looks whether the other end sleeps before the frame is put (no fence in frames_bell()).
 * -DBROKEN_LOOK looks for frames before it says that it sleeps (no fence in frames_sleep()).
 * -DBROKEN_ORDER says that a frame is there before it is written.
 * -DBROKEN_FULL puts frames into a ring that is full.
 * -DBROKEN_EARLY says that a frame has been taken before it is read.
 * -DBROKEN_CLEAR rings, and takes back afterwards that the other end sleeps.
 */
#define SLOTS  2
#define FRAMES 5

byte slot[SLOTS], put, taken;
bool sleeps, bell;

proctype putter()
{
    bool no_room, asleep;
    do
    :: put == FRAMES -> break
    :: else ->
        no_room = put - taken == SLOTS;
#ifdef BROKEN_FULL
        no_room = false;
#endif
        if
        :: no_room -> put - taken < SLOTS /* who puts looks again later */
        :: else
        fi;
#ifdef BROKEN_BELL
        asleep = sleeps;
#endif
#ifdef BROKEN_ORDER
        put++;
        slot[(put - 1) % SLOTS] = put;
#else
        slot[put % SLOTS] = put + 1;
        put++;
#endif
#ifndef BROKEN_BELL
        asleep = sleeps;
#endif
        if
        :: asleep ->
#ifdef BROKEN_CLEAR
            bell = true;
            sleeps = false
#else
            sleeps = false;
            bell = true
#endif
        :: else
        fi
    od
}

proctype taker()
{
    byte got;
    bool some;
    do
    :: got == FRAMES -> break
    :: put != got ->
#ifdef BROKEN_EARLY
        taken++;
        assert(slot[got % SLOTS] == got + 1);
#else
        assert(slot[got % SLOTS] == got + 1);
        taken++;
#endif
        got++
    :: put == got && got < FRAMES ->
#ifdef BROKEN_LOOK
        some = put != got;
        sleeps = true;
#else
        sleeps = true;
        some = put != got;
#endif
        if
        :: some -> skip
        :: else ->
            bell;
            bell = false
        fi;
        sleeps = false
    od
}

init { atomic { run putter(); run taker() } }
