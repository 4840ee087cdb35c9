/* SPDX-License-Identifier: MIT */
/*
 * Members meet, count barriers together, and meet anew after one has failed (kernel/svm/meet.c, sync.c). Each has a
 * word: odd while it wants to meet, even in an epoch; a signal of a barrier says its epoch and count, and there are two
 * of each, for odd and for even counts. FAILS times a member is reset or fails, wherever it is, and comes again; its
 * word may be lost then. ENDS times a member's run ends, and another one begins there or none: it says that it has
 * gone, then leaves, and its word may be the very one by which others want to meet. LIVES times a member's kernel ends
 * at any step, and the next one begins there at once, with another number. Claims: who passes barrier k of an
 * epoch does so when all members have come to barrier k of that epoch, by that barrier's signals and not the next
 * one's; nobody comes into an epoch twice; nobody takes the word of a run that has ended for one that wants to meet; in
 * the end all members have passed LAST barriers of one epoch, or a run has ended for good. Who passes a barrier holds for
 * each member the number of the very kernel on which that one has come to it: so each later end is seen as another
 * number, and no earlier one is.
 * -DBROKEN_TURN has one signal for all counts.
 * -DBROKEN_SIGNAL compares counts, whichever epoch they are of.
 * -DBROKEN_LOST says a small number after its word was lost, whatever the others say.
 * -DBROKEN_LEFT waits in a barrier also for a member that has left.
 * -DBROKEN_STAY does not leave after an error: the others wait for it.
 * -DBROKEN_GONE meets a run that has ended.
 * -DBROKEN_FIRST leaves before it says that it has gone.
 * -DBROKEN_LOOK looks whether a member has gone before it reads its word.
 * -DBROKEN_AGAIN does not look at a member's word again when it has read its number.
 * -DBROKEN_EARLY says a next kernel's number before its word.
 * -DBROKEN_STALE leaves the number of the kernel before until the next one says its own.
 * -DBROKEN_SAMPLE takes the kernel that is up for the one that has said the word.
 */
#define N     3
#ifndef LAST
#define LAST  2
#endif
#ifndef FAILS
#define FAILS 2
#endif
#ifndef ENDS
#define ENDS  0
#endif
#ifndef LIVES
#define LIVES 0
#endif

byte word[N];                    /* said by each */
byte epoch[2 * N], count[2 * N]; /* signals: all others see the same one here */
byte at_epoch[N], at[N];         /* where each member really is, for the claims */
bool gone[N];                    /* said by each: its run has ended */
bool old[N];                     /* its word is of a run that has ended, for a claim */
byte failed, ended, done;
byte up[N], says[N];             /* the number of each one's kernel: where it says that it is up, and beside its word */
byte met[N * N];                 /* the others' numbers, as each has read them */
byte came[N];                    /* on which kernel each has come to its last barrier, for the claims */
byte dies;                       /* the member whose kernel ends now, + 1 */

#define ONE  ((me + 1) % N)
#define TWO  ((me + 2) % N)
#define IN(w) (w % 2 == 0)
#define WANTS(w) (w + (w + 1) % 2) /* the odd number that follows it */

#ifdef BROKEN_TURN
#define OF(m) m
#else
#define OF(m) (m + N * (k % 2))
#endif
#ifdef BROKEN_SIGNAL
#define COME(m) (count[OF(m)] >= k)
#else
#define COME(m) (epoch[OF(m)] == word[me] && count[OF(m)] >= k)
#endif
#define MET(m) met[me * N + m]
#if LIVES
#define LEFT(m) ((word[m] != word[me] && word[m] + 1 != word[me]) || (!left && up[m] != MET(m)))
#else
#define LEFT(m) (word[m] != word[me] && word[m] + 1 != word[me])
#endif

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
#define REALLY(m) (at_epoch[m] == word[me] && at[m] >= k && count[OF(m)] == k && (!LIVES || MET(m) == came[m]))

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

/* Its next run finds the word as it is. */
inline may_end()
{
    if
    :: ended < ENDS && !finished ->
        ended++;
#ifndef BROKEN_FIRST
        gone[me] = true;
#endif
        atomic { word[me] = word[me] + (IN(word[me]) -> 1 : 2); old[me] = true };
#ifdef BROKEN_FIRST
        gone[me] = true;
#endif
        left = true;
        if
        :: goto over
        :: atomic { gone[me] = false; old[me] = false }
        fi
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

#define SAME(w) (w == word[me] || w == word[me] + 1)

mtype = { MEETS, AHEAD, BEHIND };
#define JUDGE verdict = (SAME(seen) -> MEETS : (WANTS(seen) > word[me] -> AHEAD : BEHIND))
#define CLAIM assert(verdict != MEETS || !old[m]) /* what makes a word old is seen before that word */

/* Sets `verdict` on a member's word, and `refused`. */
inline read_word(m)
{
#if ENDS == 0
    atomic { SAME(word[m]) || WANTS(word[m]) > word[me] -> seen = word[m]; JUDGE }
#elif defined(BROKEN_LOOK)
    refused = gone[m];
    atomic { seen = word[m]; JUDGE; CLAIM }
#elif defined(BROKEN_GONE)
    atomic { seen = word[m]; JUDGE; CLAIM }
#else
    seen = word[m];
    atomic {
        refused = gone[m];
        if
        :: refused -> skip
        :: else -> JUDGE; CLAIM
        fi
    }
#endif
}

/* The number beside the word; a member that says another word by now has not come. */
inline hear_kernel(m)
{
#if LIVES
    if
    :: verdict == MEETS ->
#ifdef BROKEN_SAMPLE
        MET(m) = up[m];
#else
        MET(m) = says[m];
#endif
        atomic {
            if
#ifdef BROKEN_AGAIN
            :: MET(m) -> skip
#else
            :: MET(m) && word[m] == seen -> skip
#endif
            :: else -> verdict = BEHIND
            fi
        }
    :: else -> skip
    fi
#else
    skip
#endif
}

/* Its memory is loaded again, and it is up before it says anything here. */
inline begin_again()
{
    atomic { up[me] = up[me] + 1; k = 0; seen = 0; verdict = 0; left = true; again = false; refused = false };
#if !defined(BROKEN_STALE)
    says[me] = 0;
#endif
#ifdef BROKEN_EARLY
    says[me] = up[me];
#endif
    atomic { word[me] = ANEW };
    says[me] = up[me]
}

/* Variables are reset, so that what they had makes no states of its own. */
inline meet_with(m)
{
    do
    :: !refused ->
        read_word(m);
        hear_kernel(m);
        if
        :: !refused && verdict == AHEAD -> atomic { say(WANTS(seen)); again = true }
        :: else -> skip
        fi;
        if
        :: refused || verdict != BEHIND -> atomic { seen = 0; verdict = 0; break }
        :: else -> atomic { seen = 0; verdict = 0 }
        fi
    :: refused -> break
    od
}

proctype member(byte me)
{
    byte k, seen;
    mtype verdict;
    bool left = true, again, finished, refused;
begin:
#if LIVES
    {
#endif
    do
    :: done == N -> break
    :: refused -> /* an error, until another run has begun there */
        atomic { say(word[me] + 2); left = true };
end_alone:
        !gone[ONE] && !gone[TWO];
        refused = false
    :: !refused && done < N && (left || LEFT(ONE) || LEFT(TWO)) ->
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
        may_end();
        do
        :: again = false; meet_with(ONE); meet_with(TWO);
            if
            :: again && !refused -> skip
            :: else -> break
            fi
        od;
        if
        :: refused -> goto next
        :: else -> skip
        fi;
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
            atomic { at_epoch[me] = word[me]; at[me] = k; came[me] = up[me]; epoch[OF(me)] = word[me]; count[OF(me)] = k };
            may_fail();
            may_end();
            await(ONE);
            await(TWO)
        :: left || k == LAST -> break
        od;
        if
        :: !left -> atomic { finished = true; done++ }
        :: else -> skip
        fi;
next:   skip
    od
#if LIVES
    } unless {
        atomic {
            dies == me + 1 && done < N -> dies = 0;
            if
            :: finished -> finished = false; done--
            :: else -> skip
            fi
        };
        begin_again();
        goto begin
    }
#endif
    ;
over:
    skip
}

/* Not when all are through. Members differ by a rotation only: the first to die is the first member. */
proctype reaper()
{
    byte n;
    do
    :: n < LIVES ->
        if
        :: atomic { done < N && !dies -> dies = 1 }
        :: atomic { n && done < N && !dies -> dies = 2 }
        :: atomic { n && done < N && !dies -> dies = 3 }
        :: done == N || n -> break
        fi;
        n++
    :: else -> break
    od
}

init {
    atomic {
        word[0] = 1; word[1] = 1; word[2] = 1;
#if LIVES
        up[0] = 1; up[1] = 1; up[2] = 1;
        says[0] = 1; says[1] = 1; says[2] = 1;
        run reaper();
#endif
        run member(0);
        run member(1);
        run member(2)
    }
}
