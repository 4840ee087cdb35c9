/* SPDX-License-Identifier: MIT */
/*
 * A wait for which the master is asked (process/wait.c with REMOTE_ALL): the caller's core reads the word, the master
 * adds the waiter, and wake-ups are the master's too, or come with the end of a thread under the same lock. The caller
 * reads the count of wake-ups before the word; the master adds it only while the count is that one.
 * Two threads wait until the word changes, one changes it and asks the master to wake all, another one wakes for nothing.
 * Claim: nobody sleeps for ever after the word has changed and its wake is done (no invalid end state).
 * -DBROKEN_COUNT adds the waiter whatever the count is.
 * -DBROKEN_ORDER reads the count after the word.
 * -DBROKEN_LATE counts only wake-ups that woke somebody.
 */
#define WAITERS 2

bool word;
byte wakes;
bool listed[WAITERS];

/* What the master does is one step: it does nothing else meanwhile, and the lock keeps the ends of threads out. */
inline wake()
{
    atomic {
#ifdef BROKEN_LATE
        wakes = wakes + (listed[0] || listed[1]);
#else
        wakes++;
#endif
        listed[0] = false;
        listed[1] = false
    }
}

proctype waiter(byte me)
{
    byte seen;
    bool value, added;
    do
    :: true ->
#ifdef BROKEN_ORDER
        value = word;
        seen = wakes;
#else
        seen = wakes;
        value = word;
#endif
        if
        :: value -> break
        :: else -> skip
        fi;
        atomic {
#ifdef BROKEN_COUNT
            added = true;
#else
            added = (seen == wakes);
#endif
            listed[me] = added
        }
        if
        :: added -> !listed[me] /* asleep */
        :: else -> skip
        fi
    od
}

proctype waker()
{
    word = true;
    wake()
}

proctype vain() { wake() }

init { atomic { run waiter(0); run waiter(1); run waker(); run vain() } }
