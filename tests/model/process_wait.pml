/* SPDX-License-Identifier: MIT */
/*
 * process_wait() against process_wake() (process/wait.c), with thread_block()'s remembered wake-up (wakeup.pml): threads
 * wait until a word changes, one thread changes it and wakes all; a deadline may pass at any moment.
 * Claims: nobody sleeps for ever after the word has changed and its wake is done (no invalid end state); a thread that
 * goes on is in no list.
 * -DBROKEN_READ reads the word before it takes the lock.
 * -DBROKEN_GIVE_UP leaves the list without a look at who was faster.
 */
#define WAITERS 2

bool word, lock;
bool listed[WAITERS]; /* `word` of struct process_thread */
bool token[WAITERS];  /* thread_wake() has been called for it: it leaves thread_block() */

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

proctype waiter(byte me)
{
    bool late = false, mine;
#ifdef BROKEN_READ
    bool seen = word;
    acquire();
#else
    acquire();
    bool seen = word;
#endif
    if
    :: seen -> release()
    :: else ->
        listed[me] = true;
        release();
        do
        :: !listed[me] || late -> break
        :: else ->
            if
            :: token[me] -> token[me] = false
            :: me == 0 -> late = true /* a deadline, of one of them: it may pass at any moment */
            fi
        od;
        if
        :: late ->
#ifndef BROKEN_GIVE_UP
            acquire();
#endif
            mine = listed[me];
            if
            :: mine -> assert(listed[me]); listed[me] = false /* list_remove() */
            :: else -> skip
            fi;
#ifndef BROKEN_GIVE_UP
            release()
#endif
        :: else -> skip
        fi
    fi;
    assert(!listed[me])
}

proctype waker()
{
    byte i = 0;
    bool mine;
    word = true;
    acquire();
    do
    :: i == WAITERS -> break
    :: else ->
        mine = listed[i];
        if
        :: mine -> assert(listed[i]); listed[i] = false; token[i] = true
        :: else -> skip
        fi;
        i++
    od;
    release()
}

init { atomic { run waiter(0); run waiter(1); run waker() } }
