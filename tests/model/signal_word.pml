/* SPDX-License-Identifier: MIT */
/*
 * Signals of a sync between two clusters (cluster/sync.c, cluster/lane.h): the first one of a run is a message, which
 * names the sync; each later one is a message or counts up a word. The waiter's master sleeps until it is rung, then takes
 * messages, then the word, if the sync was named. In the middle the sender's end of the lane may restart once: a new
 * epoch, then counts of 0 (tests/model/lane.pml has the rest of that); what was under way is lost.
 * Claims: no more signals of a run are taken than were sent in it (assertion), and the master does not sleep for good
 * while one is left: the model has no invalid end state.
 * -DBROKEN_RING rings before the word is counted up.
 * -DBROKEN_BIND takes the word of the moment for its begin, when a message names the sync.
 * -DBROKEN_NAME lets a run begin with a word.
 * -DBROKEN_READ reads the epoch before the word.
 */
#define SIGNALS 3

byte epoch = 1, word, messages; /* the sender's half of the lane, in this run */
byte sent;                      /* signals of this run */
bool echo = true;               /* the counts are of this epoch */
bool rung, restarted, done;

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
        sent++;
        if
        :: messages++; named = true; rung = true
#ifdef BROKEN_NAME
        :: count_up()
#else
        :: named -> count_up()
#endif
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

proctype master()
{
    byte life = 1, got, messages_taken, word_taken, now, then;
    bool named = false, up;
    do
    :: done && got == SIGNALS && life == epoch -> break
    :: rung ->
        rung = false;
        if
        :: epoch != life -> life = epoch; got = 0; messages_taken = 0; word_taken = 0; named = false
        :: else -> skip
        fi;
        up = echo;
        now = messages;
        then = epoch;
        if
        :: up && then == life && now > messages_taken ->
            got = got + now - messages_taken;
            messages_taken = now;
#ifdef BROKEN_BIND
            word_taken = (named -> word_taken : word);
#endif
            named = true
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
        :: named && up && then == life ->
            assert(now >= word_taken);
            got = got + now - word_taken;
            word_taken = now
        :: else -> skip
        fi;
        assert(got <= SIGNALS)
    od
}

init { atomic { run sender(); run master() } }
