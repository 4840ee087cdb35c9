/* SPDX-License-Identifier: MIT */
/*
 * The lock of user/nanvix/lib/lock.c: 0 free, 1 taken, 2 taken and a thread may sleep. N threads, each takes it ROUNDS
 * times. Each may poll it for as long as it likes before it sleeps; the kernel looks at the word before it lets one
 * sleep, and wakes the one that has slept longest (process_wait.pml).
 * Claims: never two hold it; nobody sleeps for ever (all finish: no invalid end state).
 * -DBROKEN_WOKEN lets a thread that was woken take the lock as 1.
 * -DBROKEN_LOOK lets a thread sleep without the kernel's look at the word.
 * -DBROKEN_DROP reads the word before it clears it, not in one step.
 */
#define N      3
#define ROUNDS 2

byte word, inside;
bool asleep[N];
chan sleepers = [N] of { byte };

inline sleep_while_2()
{
    atomic {
        if
#ifdef BROKEN_LOOK
        :: true -> asleep[me] = true; sleepers!me
#else
        :: word == 2 -> asleep[me] = true; sleepers!me
        :: else
#endif
        fi
    };
    (!asleep[me])
}

inline wake_one()
{
    atomic {
        if
        :: nempty(sleepers) -> sleepers?first; asleep[first] = false
        :: else
        fi
    }
}

proctype thread(byte me)
{
    byte round, before, taken, first;
    do
    :: round < ROUNDS ->
        taken = 1;
        do
        :: atomic { word == 0 -> word = taken }; break /* a poll */
        :: atomic { before = word; word = 2 };
            if
            :: before == 0 -> break
            :: else
            fi;
            sleep_while_2();
#ifndef BROKEN_WOKEN
            taken = 2
#endif
        od;
        inside++;
        assert(inside == 1);
        inside--;
#ifdef BROKEN_DROP
        before = word;
        word = 0;
#else
        atomic { before = word; word = 0 };
#endif
        if
        :: before == 2 -> wake_one()
        :: else
        fi;
        round++
    :: else -> break
    od
}

init { atomic { run thread(0); run thread(1); run thread(2) } }
