/* SPDX-License-Identifier: MIT */
/*
 * A tunnel's bell (process/tunnel.c, process/waiters.c): the peer writes and rings, a thread of the process waits for the
 * bell and looks when it was rung, the operator may withdraw the tunnel. One deadline may pass at any moment.
 * Claims: what was written before a ring is seen, and who waits is told of the withdrawal: nobody sleeps for ever (no
 * invalid end state); a thread that goes on is in no list.
 * -DBROKEN_LOOK looks at the bit before it takes the lock.
 * -DBROKEN_GIVE_UP calls it a deadline where a ring was faster: that ring is lost.
 * -DBROKEN_WITHDRAW wakes who waits before it takes away what lets them wait.
 */
#define RINGS 2

byte written, seen;
bool lock, bell, granted = true, deadline = true;
bool listed, token; /* `word` of struct process_thread; thread_wake() was called for it */

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }
inline wake() { listed = false; token = true }

proctype waiter()
{
    bool late, rung, may;
    do
    :: seen == RINGS || !granted -> break
    :: else ->
        late = false;
#ifdef BROKEN_LOOK
        rung = bell;
        acquire();
#else
        acquire();
        rung = bell;
#endif
        may = granted;
        if
        :: !may -> rung = false; release()
        :: may && rung -> bell = false; release()
        :: else ->
            listed = true;
            release();
            do
            :: !listed || late -> break
            :: else ->
                if
                :: token -> token = false
                :: deadline -> deadline = false; late = true
                fi
            od;
            rung = true;
            if
            :: late ->
                acquire();
#ifdef BROKEN_GIVE_UP
                rung = false;
#else
                rung = !listed;
#endif
                listed = false;
                release()
            :: else -> skip
            fi
        fi;
        assert(!listed);
        if
        :: rung -> seen = written
        :: else -> skip
        fi
    od
}

proctype ringer()
{
    do
    :: written == RINGS || !granted -> break
    :: else ->
        written++;
        acquire();
        if
        :: listed -> wake()
        :: else -> bell = true
        fi;
        release()
    od
}

proctype operator()
{
    if
    :: skip /* leaves it alone */
    :: acquire();
#ifdef BROKEN_WITHDRAW
        if :: listed -> wake() :: else -> skip fi;
        release();
        acquire();
        granted = false;
#else
        granted = false;
        if :: listed -> wake() :: else -> skip fi;
#endif
        release()
    fi
}

init { atomic { run waiter(); run ringer(); run operator() } }
