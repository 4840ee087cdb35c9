/* SPDX-License-Identifier: MIT */
/*
 * Members meet, count barriers together, and meet anew after one has failed (kernel/svm/meet.c, sync.c). Each has a
 * word: odd while it wants to meet, even in an epoch; a signal of a barrier says its epoch and count. FAILS times a
 * member is reset or fails, wherever it is, and comes again; its word may be lost then. Claims: who passes barrier k of
 * an epoch does so when all members have come to barrier k of that epoch; nobody comes into an epoch twice; in the end
 * all members have passed LAST barriers of one epoch.
 * -DBROKEN_SIGNAL compares counts, whichever epoch they are of.
 * -DBROKEN_LOST says a small number after its word was lost, whatever the others say.
 * -DBROKEN_LEFT waits in a barrier also for a member that has left.
 * -DBROKEN_STAY does not leave after an error: the others wait for it.
 */
#define N     3
#define LAST  2
#define FAILS 2

byte word[N];               /* said by each */
byte epoch[N], count[N];    /* signals: all others see the same one here */
byte at_epoch[N], at[N];    /* where each member really is, for the claims */
byte failed, done;

#define ONE  ((me + 1) % N)
#define TWO  ((me + 2) % N)
#define IN(w) (w % 2 == 0)
#define WANTS(w) (w + (w + 1) % 2) /* the odd number that follows it */

#ifdef BROKEN_SIGNAL
#define COME(m) (count[m] >= k)
#else
#define COME(m) (epoch[m] == word[me] && count[m] >= k)
#endif
#define LEFT(m) (word[m] != word[me] && word[m] + 1 != word[me])

#define most (word[ONE] > word[TWO] -> word[ONE] : word[TWO])
#ifdef BROKEN_LOST
#define ANEW 1
#else
#define ANEW (most + 1 + most % 2)
#endif

inline say(w) { word[me] = w }

#ifdef BROKEN_STAY
#define leave() left = true
#else
#define leave() say(word[me] + 1); left = true
#endif

/* Claim 1, when `me` takes member m for one that has come. */
#define REALLY(m) (at_epoch[m] == word[me] && at[m] >= k)

/* A failure is seen from outside as the member's word only. */
inline may_fail()
{
    if
    :: failed < FAILS && !finished -> atomic { failed++; say(word[me] + 1 + word[me] % 2); left = true }
    :: failed < FAILS && !finished && (word[ONE] > 2 || word[TWO] > 2) -> /* its word was overwritten before it was reset */
        atomic { failed++; word[me] = ANEW; left = true }
    :: true -> skip
    fi
}

inline await(m)
{
    do
    :: left -> break
    :: !left && COME(m) -> assert(REALLY(m)); break
#ifndef BROKEN_LEFT
    :: !left && !COME(m) && LEFT(m) ->
        /* one more look: it may have come and gone on */
        if
        :: COME(m) -> skip
        :: else -> atomic { leave() }
        fi;
        break
#endif
    od
}

inline meet_with(m)
{
    do
    :: word[m] == word[me] || word[m] == word[me] + 1 -> break
    :: word[m] != word[me] + 1 && WANTS(word[m]) > word[me] -> say(WANTS(word[m])); again = true; break
    :: else -> word[m] == word[me] || word[m] == word[me] + 1 || WANTS(word[m]) > word[me]
    od
}

proctype member(byte me)
{
    byte k;
    bool left = true, again, finished;
    do
    :: done == N -> break
    :: done < N && (left || LEFT(ONE) || LEFT(TWO)) ->
        /* the next call of all */
        if
        :: finished -> finished = false; done--
        :: else -> skip
        fi;
        if
        :: !left -> atomic { leave() }
        :: else -> skip
        fi;
        may_fail();
        do
        :: again = false; meet_with(ONE); meet_with(TWO);
            if
            :: again -> skip
            :: else -> break
            fi
        od;
        atomic {
            if
            :: IN(word[me]) -> skip
            :: else -> say(word[me] + 1)
            fi;
            left = false;
            assert(at_epoch[me] != word[me]) /* nobody comes into an epoch twice */
        };
        k = 0;
        do
        :: !left && k < LAST ->
            k++;
            atomic { at_epoch[me] = word[me]; at[me] = k; epoch[me] = word[me]; count[me] = k };
            may_fail();
            await(ONE);
            await(TWO)
        :: left || k == LAST -> break
        od;
        if
        :: !left -> atomic { finished = true; done++ }
        :: else -> skip
        fi
    od
}

init {
    atomic {
        word[0] = 1; word[1] = 1; word[2] = 1;
        run member(0);
        run member(1);
        run member(2)
    }
}
