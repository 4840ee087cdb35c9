/* SPDX-License-Identifier: MIT */
/*
 * Messages of one core's kernels to another core's (mail/send.c, mail/receive.c), of which each may end at any
 * step and begin again: two lines in turn, which line the receiver takes next in memory that outlives both, and the
 * number of the receiver's kernel, 0 while none runs. A kernel that begins as the receiver frees both lines before it
 * says its number. Nobody resets and boots a receiver while its sender, with interrupts off, has looked at that number
 * and not yet filled a line.
 * Words hold the message's number, from 1 on, through all lives of the sender; 0 is a free line.
 * Claims: messages are taken in the order in which they were sent, and the receiver finds the one that is left.
 * -DBROKEN_FREE: the receiver frees a line before it says which one is next.
 * -DBROKEN_FULL: a sender that begins and finds both lines full takes them for what they are later.
 * -DBROKEN_ONCE: it looks at the lines once.
 * -DBROKEN_MEET: it does not look again when the receiver's kernel is another one.
 */
#define MESSAGES 4
#define DEATHS   2 /* of each */

#ifdef BROKEN_MEET
#define MET (met != 0)
#else
#define MET (met == kernel)
#endif
#ifdef BROKEN_FULL
#define UNSURE false
#else
#define UNSURE (first && second)
#endif

byte line[2], next = 0, up = 1;
byte posted = 0, last = 0; /* numbers: sent, taken */
bool busy = false;

proctype sender()
{
    byte deaths = 0, sent, met, kernel, n, first, second;
begin:  busy = false;
    d_step { sent = 0; met = 0; n = 0; first = 0; second = 0; kernel = 0 };
    do
    :: posted == MESSAGES -> break
    :: deaths < DEATHS -> deaths++; goto begin
    :: atomic { posted < MESSAGES && up != 0 -> kernel = up; busy = true };
        if
        :: MET -> skip
        :: else ->
            n = next;
            first = line[0] != 0;
            second = line[1] != 0;
            if
            :: deaths < DEATHS -> deaths++; goto begin
            :: true -> skip
            fi;
#ifndef BROKEN_ONCE
            if
            :: next != n -> n = 2
            :: else -> skip
            fi;
            if
            :: n < 2 && (line[0] != 0) != first -> n = 2
            :: else -> skip
            fi;
            if
            :: n < 2 && (line[1] != 0) != second -> n = 2
            :: else -> skip
            fi;
#endif
            if
            :: n == 2 || UNSURE -> skip
            :: else ->
                d_step {
                    if
                    :: (n == 0 && first) || (n == 1 && second) -> sent = 1 - n
                    :: else -> sent = n
                    fi;
                    met = kernel
                }
            fi
        fi;
        if
        :: MET && line[sent] == 0 -> atomic { posted++; line[sent] = posted; sent = 1 - sent; busy = false }
        :: else -> busy = false
        fi
    od
}

proctype receiver()
{
    byte deaths = 0, n, other;
    do
    :: deaths < DEATHS && !busy ->
dies:   atomic { !busy -> up = 0; deaths++ };
        line[0] = 0;
        line[1] = 0;
        d_step { n = 0; other = 0; up = deaths + 1 }
    :: line[next] != 0 || line[1 - next] != 0 ->
        if
        :: line[next] != 0 -> skip
        :: else ->
            other = line[1 - next];
            if
            :: line[next] == 0 && other != 0 -> next = 1 - next
            :: else -> skip
            fi
        fi;
        n = next;
        if
        :: line[n] == 0 -> skip
        :: else ->
            atomic { assert(line[n] > last); last = line[n] };
            if
            :: deaths < DEATHS && !busy -> goto dies
            :: true -> skip
            fi;
#ifdef BROKEN_FREE
            line[n] = 0;
            if
            :: deaths < DEATHS && !busy -> goto dies
            :: true -> skip
            fi;
            next = 1 - n
#else
            next = 1 - n;
            if
            :: deaths < DEATHS && !busy -> goto dies
            :: true -> skip
            fi;
            line[n] = 0
#endif
        fi
    :: posted == MESSAGES && line[0] == 0 && line[1] == 0 -> break
    od
}

init { atomic { run sender(); run receiver() } }
