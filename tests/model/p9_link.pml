/* SPDX-License-Identifier: MIT */
/*
 * A client and a server of 9P that share memory (user/p9/link.h): lives, meeting, one place, the bell. Either may end at any step
 * and begin again, LIVES times in all. What the client asks is the number of its life and question; the server answers the same.
 * Claims: an answer that the client takes is the one to its question of this life, and of a server that knows its session; a client
 * that is not ended again gets all its answers (no invalid end state: who waits for ever would be one).
 * -DBROKEN_PEER: the server answers who has not named it. -DBROKEN_COUNT: it names a client before it counts anew.
 * -DBROKEN_BELL: the client looks whether the server sleeps before it puts the question. -DBROKEN_LOOK: an end looks before it says
 * that it sleeps. -DBROKEN_LIFE: the client does not look for another life of the server's.
 */
#define LIVES     2
#define QUESTIONS 2

byte c_life, c_peer, c_count, s_life, s_peer, s_count;
bool c_sleeps, s_sleeps, c_bell, s_bell;
byte question, answer;   /* of the only place: 10 x life + number */
byte deaths = LIVES;
bool c_done;

#ifdef BROKEN_LIFE
#define SAME_S true
#else
#define SAME_S (s_life == c_peer)
#endif
#define MET_C (c_peer && c_peer == s_life && s_peer == c_life)
#define MET_S (s_peer && s_peer == c_life && c_peer == s_life)

inline ring_server() { if :: s_sleeps -> s_sleeps = false; s_bell = true :: else fi }
inline ring_client() { if :: c_sleeps -> c_sleeps = false; c_bell = true :: else fi }

proctype client()
{
    byte n;
    bool asleep, met;
begin:
    atomic { c_peer = 0; c_count = 0; c_sleeps = false; c_life++ }
    ring_server();
meet:
    n = 0;
    c_count = 0;
    c_peer = s_life;
    ring_server();
    do
    :: atomic { deaths -> deaths--; c_bell = false }; s_bell = true; goto begin /* the kernel tells the peer of an end */
    :: n == QUESTIONS -> break
    :: n < QUESTIONS ->
        met = MET_C;
        if
        :: !SAME_S -> goto meet
        :: met && c_count == n ->
#ifdef BROKEN_BELL
            asleep = s_sleeps;
#endif
            question = 10 * c_life + n;
            c_count++;
#ifdef BROKEN_BELL
            if :: asleep -> s_sleeps = false; s_bell = true :: else fi
#else
            ring_server()
#endif
        :: met && c_count == n + 1 && s_count > n ->
            /* Nobody writes there until the next question, nor before both have met anew. */
            assert(answer == 10 * c_life + n);
            n++
        :: else ->
#ifdef BROKEN_LOOK
            if
            :: MET_C == met && SAME_S && (!met || s_count == n) -> c_sleeps = true; c_bell; c_bell = false
            :: else
            fi;
#else
            c_sleeps = true;
            if
            :: MET_C == met && SAME_S && (!met || s_count == n) -> c_bell; c_bell = false
            :: else
            fi;
#endif
            c_sleeps = false
        fi
    od;
    c_done = true;
    s_bell = true
}

proctype server()
{
    byte taken, read;
    bool met;
begin:
    taken = 0;
    atomic { s_peer = 0; s_count = 0; s_sleeps = false; s_life++ }
    ring_client();
    do
    :: atomic { deaths -> deaths--; s_bell = false }; c_bell = true; goto begin
    :: c_done -> break
    :: !c_done ->
        met = MET_S;
        if
        :: c_life != s_peer ->
            taken = 0;
#ifdef BROKEN_COUNT
            s_peer = c_life;
            s_count = 0;
#else
            s_count = 0;
            s_peer = c_life;
#endif
            ring_client()
#ifdef BROKEN_PEER
        :: s_peer && c_life == s_peer && c_count > taken ->
#else
        :: met && c_life == s_peer && c_count > taken ->
#endif
            read = question;
            answer = read;
            taken++;
            s_count = taken;
            ring_client()
        :: else ->
            s_sleeps = true;
            if
            :: MET_S == met && c_life == s_peer && (!met || c_count == taken) && !c_done -> s_bell; s_bell = false
            :: else
            fi;
            s_sleeps = false
        fi
    od
}

init { atomic { run client(); run server() } }
