/* SPDX-License-Identifier: MIT */
/*
 * A tunnel's bell (ipc/process.c, process/waiters.c): the peer writes and rings, a thread of the process waits for the
 * bell and looks when it was rung. The peer may end at any moment, the operator may withdraw the tunnel, and one deadline
 * may pass at any moment.
 * Claims: what was written before a ring is seen, who waits is told of the withdrawal, and of the peer's end exactly once:
 * nobody sleeps for ever (no invalid end state); a thread that goes on is in no list.
 * -DBROKEN_LOOK looks at the bit before it takes the lock.
 * -DBROKEN_GIVE_UP calls it a deadline where a ring, or the peer's end, was faster: that is lost.
 * -DBROKEN_WITHDRAW wakes who waits before it takes away what lets them wait.
 * -DBROKEN_LOST tells the peer's end to a thread that waits, and to nobody later.
 * -DBROKEN_TWICE leaves the end to be told by the next wait, although the one that it ended told it.
 */
#define RINGS 2

byte written, seen;
bool told, lock, bell, granted = true, deadline = true;
bool listed, token; /* `word` of struct process_thread; thread_wake() was called for it */
bool failed, lost;  /* the result that is left in `word`; `lost` of the same record */

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }
inline wake(result) { failed = result; listed = false; token = true }

proctype waiter()
{
    bool late, rung, may, end;
    do
    :: told || !granted -> break
    :: else ->
        late = false;
        end = false;
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
        :: may && !rung && lost -> lost = false; end = true; release()
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
            fi;
            if
            :: rung && failed -> rung = false; end = granted
            :: else -> skip
            fi
        fi;
        assert(!listed);
        if
        :: rung -> seen = written
        :: end -> assert(seen == written); told = true
        :: else -> skip
        fi
    od;
    assert(!(told && lost)) /* a second time for one end */
}

/* It rings, and ends. What it has rung is seen before its end is told. */
proctype peer()
{
    do
    :: true -> break
    :: written < RINGS && granted ->
        written++;
        acquire();
        if
        :: listed -> wake(false)
        :: else -> bell = true
        fi;
        release()
    od;
    acquire();
    if
#ifdef BROKEN_TWICE
    :: listed -> wake(true); lost = true
#else
    :: listed -> wake(true)
#endif
#ifdef BROKEN_LOST
    :: else -> skip
#else
    :: else -> lost = true
#endif
    fi;
    release()
}

proctype operator()
{
    if
    :: skip /* leaves it alone */
    :: acquire();
#ifdef BROKEN_WITHDRAW
        if :: listed -> wake(true) :: else -> skip fi;
        release();
        acquire();
        granted = false;
#else
        granted = false;
        if :: listed -> wake(true) :: else -> skip fi;
#endif
        release()
    fi
}

init { atomic { run waiter(); run peer(); run operator() } }
