/* SPDX-License-Identifier: MIT */
/*
 * mail_send_sync() (mail/send.c): threads of one core send to one receiver, which has two lines for them, and sleep
 * until their message was taken. The receiver frees the line, sets the core's bit and interrupts it; the interrupt wakes
 * the threads that the places of the lines name. A wake-up before the sleep is remembered (core/thread.h).
 * Claims: a thread goes on only when its message was taken, and never sleeps for good (no invalid end state).
 * -DBROKEN_FREE: the receiver rings before it has freed the line.
 * -DBROKEN_AGAIN: who posts into a line does not wake the thread that waits for its last message.
 * -DBROKEN_PLACE: a thread takes its place only after it has looked whether its message is there.
 * -DBROKEN_COUNT: a thread looks at its line alone, which a later message may have filled.
 */
#define THREADS 3
#define NONE    255

bool is_full[2];
byte sent, received;          /* messages */
bool told; /* the core's bit */
bool rung;
byte place[2] = { NONE, NONE };
bool woken[THREADS];

#ifdef BROKEN_COUNT
#define IS_TAKEN (!is_full[n % 2])
#else
#define IS_TAKEN (!is_full[n % 2] || sent - n > 2)
#endif

proctype thread(byte me)
{
    byte n;
    /* interrupts are off: one step for this core, but not for the receiver, which sees the line first */
    atomic {
        !is_full[sent % 2];
        n = sent;
        sent++;
#ifndef BROKEN_AGAIN
        if
        :: place[n % 2] != NONE -> woken[place[n % 2]] = true
        :: else -> skip
        fi;
#endif
        is_full[n % 2] = true;
#ifndef BROKEN_PLACE
        place[n % 2] = me
#endif
    };
    do
    :: atomic { IS_TAKEN -> break }
    :: atomic { !(IS_TAKEN) -> skip };
#ifdef BROKEN_PLACE
        place[n % 2] = me;
#endif
        atomic { woken[me] -> woken[me] = false } /* sleeps */
    od;
    assert(received > n);
    atomic {
        if
        :: place[n % 2] == me -> place[n % 2] = NONE
        :: else -> skip
        fi
    }
}

proctype interrupt()
{
end:
    do
    :: atomic {
        rung -> rung = false;
        if
        :: told ->
            told = false;
            if
            :: place[0] != NONE -> woken[place[0]] = true
            :: else -> skip
            fi;
            if
            :: place[1] != NONE -> woken[place[1]] = true
            :: else -> skip
            fi
        :: else -> skip
        fi
    }
    od
}

proctype receiver()
{
    do
    :: received == THREADS -> break
    :: received < THREADS && is_full[received % 2] ->
#ifdef BROKEN_FREE
        told = true;
        rung = true;
        atomic { is_full[received % 2] = false; received++ }
#else
        atomic { is_full[received % 2] = false; received++ };
        told = true;
        rung = true
#endif
    od
}

init {
    byte i;
    atomic {
        run receiver();
        run interrupt();
        do
        :: i < THREADS -> run thread(i); i++
        :: else -> break
        od
    }
}
