/* SPDX-License-Identifier: MIT */
/*
 * thread_block() against thread_wake() (core/sched.c, core/sched_wake.c): a waiter that blocks until a
 * condition holds, wakers that make it hold and wake, on other cores.
 * Claim: the waiter never sleeps while the condition holds and every waker is done (no lost
 * wake-up): the model has no invalid end state.
 * -DBROKEN_BLOCK looks at `wakeup` before it takes the lock.
 * -DBROKEN_WAKE forgets the wake-up of a thread that is not blocked.
 */
#define WAKERS 2

mtype = { RUNNING, BLOCKED, READY };
mtype state = RUNNING;
bool wakeup, lock;
byte events, taken;

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

inline block()
{
#ifdef BROKEN_BLOCK
    if
    :: wakeup -> wakeup = false
    :: else ->
        acquire();
        state = BLOCKED;
        release();
        (state == READY);
        state = RUNNING
    fi
#else
    acquire();
    if
    :: wakeup -> wakeup = false; release()
    :: else ->
        state = BLOCKED;
        release(); /* by whoever runs next, after the switch */
        (state == READY);
        state = RUNNING
    fi
#endif
}

proctype waiter()
{
    do
    :: taken == WAKERS -> break
    :: else ->
        if
        :: events > taken -> taken++
        :: else -> block()
        fi
    od
}

proctype waker()
{
    events++;
    acquire();
    if
    :: state == BLOCKED -> state = READY
#ifdef BROKEN_WAKE
    :: else -> skip
#else
    :: else -> wakeup = true
#endif
    fi;
    release()
}

init { atomic { run waiter(); run waker(); run waker() } }
