/* SPDX-License-Identifier: MIT */
/*
 * Rings between cores of an SCC (board/scc/bell.c, board/scc/gic.c): the sender looks whether the receiver holds its rings
 * back, by a mask or a configuration word, and if so only leaves a bit in the receiver's status word. The receiver holds
 * them back and takes them again; then it interrupts itself if there is a bit.
 * Claim: what a sender has posted is taken by the interrupt in the end, if nothing is held back in the end.
 * -DBROKEN_AGAIN: a sender does not look again behind its bit, so one that ceases to be held back may have been late.
 * -DBROKEN_LOOK: the receiver does not look at its status behind its words.
 * -DBROKEN_ORDER: it looks at its status before it writes its words.
 * -DBROKEN_BITS: its interrupt clears the bits of those that are held back.
 */
#define SENDERS 2

bool held[SENDERS]; /* the receiver's words */
bool status[SENDERS];
bool posted[SENDERS]; /* what the ring is for; the interrupt takes that of those whose bits it takes, or who rang */
bool rang[SENDERS];
bool rung; /* the interrupt is pending */
byte taken;
byte ended; /* senders, and the receiver, when nothing is held back any more */

proctype sender(byte me)
{
    posted[me] = true;
    if
    :: !held[me] -> skip
    :: held[me] ->
        status[me] = true;
#ifdef BROKEN_AGAIN
        goto done;
#else
        if
        :: held[me] -> goto done
        :: else -> skip
        fi
#endif
    fi;
    atomic { rang[me] = true; rung = true }
done:
    ended++
}

inline take(i)
{
    if
    :: posted[i] && (rang[i] || (status[i] && !held[i])) -> posted[i] = false; taken++
    :: else -> skip
    fi;
    rang[i] = false;
#ifdef BROKEN_BITS
    status[i] = false
#else
    status[i] = status[i] && held[i]
#endif
}

proctype interrupt()
{
end:
    do
    :: atomic { rung -> rung = false; take(0); take(1) }
    od
}

inline look()
{
    if
    :: (status[0] && !held[0]) || (status[1] && !held[1]) -> rung = true
    :: else -> skip
    fi
}

proctype receiver()
{
    byte i;
    do
    :: i < 2 ->
        held[0] = true;
        if
        :: held[1] = true
        :: skip
        fi;
#ifdef BROKEN_ORDER
        atomic { if :: status[0] || status[1] -> rung = true :: else -> skip fi };
#endif
        held[0] = false;
#ifndef BROKEN_LOOK
#ifndef BROKEN_ORDER
        look();
#endif
#endif
        i++
    :: i == 2 -> break
    od;
    held[1] = false;
#ifndef BROKEN_LOOK
#ifndef BROKEN_ORDER
    look();
#endif
#endif
    ended++
}

init {
    atomic {
        run sender(0);
        run sender(1);
        run interrupt();
        run receiver()
    };
    atomic { ended == SENDERS + 1 && !rung -> assert(taken == SENDERS) }
}
