/* SPDX-License-Identifier: MIT */
/*
 * A page that each core has a copy of (kernel/svm/twin.c). Under a lock both cores count in word 0. Besides, each writes
 * a word of its own, without a lock, before it takes the lock. Memory changes word by word.
 * Claims: no count and no word is lost.
 * -DBROKEN_WHOLE stores the whole copy, not what differs from the twin: another core's word becomes old again.
 * -DBROKEN_KEEP acquires without forgetting the copy.
 * -DBROKEN_LOSE forgets the copy before what was written there is stored.
 * -DBROKEN_LATE gives the lock back before what was written is stored.
 */
#define ROUNDS 2
#define WORDS  3

byte home[WORDS];
bool locked;
byte done;

inline look() /* a copy, if there is none */
{
    if
    :: !copied -> d_step { copy[0] = home[0]; copy[1] = home[1]; copy[2] = home[2]; copied = true }
    :: else -> skip
    fi
}

inline put(word, value)
{
    look();
    d_step {
        if
        :: !written -> twin[0] = copy[0]; twin[1] = copy[1]; twin[2] = copy[2]; written = true
        :: else -> skip
        fi;
        copy[word] = value
    }
}

inline merge()
{
    if
    :: written ->
        w = 0;
        do
        :: w == WORDS -> break
#ifdef BROKEN_WHOLE
        :: w < WORDS -> home[w] = copy[w]; w++
#else
        :: w < WORDS && copy[w] != twin[w] -> home[w] = copy[w]; w++
        :: w < WORDS && copy[w] == twin[w] -> w++
#endif
        od;
        written = false
    :: else -> skip
    fi
}

inline acquire()
{
#ifdef BROKEN_LOSE
    written = false;
#endif
    merge();
#ifndef BROKEN_KEEP
    copied = false
#endif
}

proctype core(byte me)
{
    byte copy[WORDS], twin[WORDS], w, rounds;
    bool copied, written;
    do
    :: rounds == ROUNDS -> break
    :: rounds < ROUNDS ->
        rounds++;
        put(1 + me, rounds);
        atomic { !locked -> locked = true };
        acquire();
        look();
        put(0, copy[0] + 1);
#ifdef BROKEN_LATE
        locked = false;
        merge()
#else
        merge();
        locked = false
#endif
    od;
    done++;
    assert(done < 2 || (home[0] == 2 * ROUNDS && home[1] == ROUNDS && home[2] == ROUNDS))
}

init {
    atomic {
        run core(0);
        run core(1)
    }
}
