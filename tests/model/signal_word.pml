/* SPDX-License-Identifier: MIT */
/*
 * Signals of a sync between two clusters (cluster/sync.c, cluster/lane.h): the first one of a life is a message, which
 * names the sync; each later one is a message or counts up a word. The waiter's master sleeps until it is rung, then takes
 * messages, then the word, if the sync was named. In the middle the sender may begin another life once: a new epoch, then
 * counts of 0 (tests/model/lane.pml has the rest of that); what was under way is lost. The sync is made at any moment.
 * Before, the master keeps ROOM signals; a further message stays in its slot, of which there is one: the sender waits.
 * Claims: no more signals of a life are taken than were sent in it (assertion), and the master does not sleep for good
 * while one is left, nor does the sender wait for good: the model has no invalid end state.
 * -DBROKEN_RING rings before the word is counted up.
 * -DBROKEN_BIND takes the word of the moment for its begin, when a message names the sync.
 * -DBROKEN_NAME lets a life begin with a word.
 * -DBROKEN_READ reads the epoch before the word.
 * -DBROKEN_ROOM drops a message for which there is no room, after its sender was told that it is sent.
 * -DBROKEN_FORGET keeps the signals of a life when the next one begins.
 */
#define SIGNALS 3
#define ROOM    1

byte epoch = 1, word, messages; /* the sender's half of the lane, in this life */
byte accepted = 1, taken;       /* the master's: the life that it has heard of, and how many of its messages it has taken */
byte sent;                      /* signals of this life */
bool echo = true;               /* the counts are of this epoch */
bool rung, restarted, done, made;

inline count_up()
{
#ifdef BROKEN_RING
    rung = true;
    word++
#else
    word++;
    rung = true
#endif
}

proctype sender()
{
    bool named = false;
    do
    :: sent == SIGNALS -> done = true; break
    :: sent < SIGNALS ->
        if
        :: atomic { accepted == epoch && messages == taken -> sent++; messages++ }; named = true; rung = true
#ifdef BROKEN_NAME
        :: sent++; count_up()
#else
        :: named -> sent++; count_up()
#endif
        :: !restarted -> skip
        fi
    :: !restarted ->
        restarted = true;
        echo = false;
        epoch++;
        atomic { word = 0; messages = 0; sent = 0 }
        named = false;
        echo = true;
        rung = true
    od
}

proctype maker() { made = true; rung = true }

proctype master()
{
    byte got, word_taken, now, then;
    bool named = false, up;
    do
    :: done && made && got == SIGNALS && accepted == epoch -> break
    :: rung ->
        rung = false;
        if
        :: epoch != accepted ->
            atomic {
                accepted = epoch; taken = 0; word_taken = 0; named = false
#ifndef BROKEN_FORGET
                ; got = 0
#endif
            }
        :: else -> skip
        fi;
        up = echo;
        now = messages;
        then = epoch;
        if
        :: up && then == accepted && now > taken && (made || got < ROOM) ->
            got++;
#ifdef BROKEN_BIND
            word_taken = (named -> word_taken : word);
#endif
            named = true;
            taken = now
#ifdef BROKEN_ROOM
        :: up && then == accepted && now > taken && !(made || got < ROOM) -> named = true; taken = now
#endif
        :: else -> skip
        fi;
        up = echo;
#ifdef BROKEN_READ
        then = epoch;
        now = word;
#else
        now = word;
        then = epoch;
#endif
        if
        :: made && named && up && then == accepted ->
            assert(now >= word_taken);
            got = got + now - word_taken;
            word_taken = now
        :: else -> skip
        fi;
        assert(got <= SIGNALS)
    od
}

init { atomic { run sender(); run maker(); run master() } }
