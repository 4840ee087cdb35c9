/* SPDX-License-Identifier: MIT */
/*
 * Messages of one sender to one receiver (mail/send.c, mail/receive.c): two lines in turn, a bit that says that
 * there is something, and a receiver that takes a line by its word alone (it polls) or by the bit (its turns).
 * Words hold the message's number, from 1 on; 0 is a free line.
 * Claims: messages are taken in the order in which they were sent, and none is left when the receiver waits for good (no
 * invalid end state).
 * -DBROKEN_OTHER: who finds its line empty and the other one full does not look at its own again.
 * -DBROKEN_BIT: the sender sets its bit before it fills the line.
 * -DBROKEN_KEEP: who took a message by the bit does not look whether there is another one.
 */
#define MESSAGES 5

byte line[2];
bool posted; /* the sender's bit */
byte next = 0, taken = 0;

proctype sender()
{
    byte i = 0;
    do
    :: i == MESSAGES -> break
    :: i < MESSAGES && line[i % 2] == 0 ->
#ifdef BROKEN_BIT
        posted = true;
        line[i % 2] = i + 1;
#else
        line[i % 2] = i + 1;
        posted = true;
#endif
        i++
    od
}

/* The receiver is the only one that frees lines: a word that it has read stays. */
inline take()
{
    atomic {
        assert(line[next] == taken + 1);
        taken++
    };
    atomic { line[next] = 0; next = 1 - next }
}

inline by_bit()
{
    posted = false;
    is_full = line[next] != 0;
    if
    :: is_full -> skip
    :: else ->
        other = line[1 - next] != 0;
        if
        :: other ->
#ifdef BROKEN_OTHER
            next = 1 - next; is_full = true
#else
            is_full = line[next] != 0;
            if
            :: is_full -> skip
            :: else -> next = 1 - next; is_full = true
            fi
#endif
        :: else -> skip
        fi
    fi;
    if
    :: is_full ->
        take();
#ifndef BROKEN_KEEP
        if
        :: line[next] != 0 -> posted = true
        :: else -> skip
        fi
#endif
    :: else -> skip
    fi
}

proctype receiver()
{
    bool is_full, other;
    do
    :: taken == MESSAGES -> break
    :: taken < MESSAGES ->
        if
        :: true -> posted; by_bit() /* sleeps: only the bit wakes it */
        :: true -> /* polls */
            posted || line[next] != 0;
            if
            :: line[next] != 0 -> take()
            :: posted -> by_bit()
            fi
        fi
    od
}

init { atomic { run sender(); run receiver() } }
