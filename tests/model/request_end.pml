/* SPDX-License-Identifier: MIT */
/*
 * request_end.pml - a signal, and the process's end, come while a remote call waits (kernel/cluster/request.c, master.c,
 * mailbox.c): a caller that reads, the master, a cluster that sends. Who sleeps and who wakes is request.pml's matter.
 *
 * A read for which there is nothing is pending: in the master's list, and named by its mailbox. A caller that wakes
 * without a result says why in its request (`cancelled`, which only grows), then tells the master to look again. Only the
 * master decides: it looks once, and drops the request, so that nothing names it, or tries it. A message that arrives
 * goes straight to the request that is named, and may finish it. A read of which a part is done (-DPARTS=2) is not
 * dropped for a signal. Whom EINTR met handles the signal and calls again; who ends does not. The last read's messages
 * are sent when the signal has been handled: so a signal that ends no call is somebody who sleeps for good.
 *
 * Claims: a caller continues when neither list nor mailbox has its request; what the master has given is told by that
 * call, never by EINTR; EINTR is only for who has said that a signal came; nobody sleeps for good (an invalid end state).
 * -DBROKEN_ALONE: a caller continues by itself when it has said that a signal came.
 * -DBROKEN_NAMED: the mailbox still names a request that is dropped.
 * -DBROKEN_LATE: the master looks a second time, to say how the request has ended.
 * -DBROKEN_ORDER: a caller tells the master to look again before it says why.
 * -DBROKEN_CLEAR: the master forgets that it was told after it has looked, and not before.
 * -DBROKEN_FIRST: the master takes what arrives before it takes that it was told: who has come and told it between the two
 * is served for the first time, when nobody looks why.
 * -DBROKEN_BEGUN: a signal drops a read of which a part is done (with -DPARTS=2).
 */
#ifndef PARTS
#define PARTS 1
#endif
#define CALLS 2

mtype = { AWAITED, ASLEEP, DONE, LEFT };
mtype = { PENDING, OK, EINTR, ECANCELED };
#define STAYS  0
#define CALLED 1
#define ENDS   2

mtype state, result;
byte cancelled, parts;               /* of the request: why it is to end, messages that it has */
bool arrived, listed, named;         /* the request is in the arrivals, the list of pending ones, the mailbox */
byte lane, kept, given, got;         /* messages on their way, in the pool, given to a request, told to the caller */
bool rung, again, resting, for_master;
bool signal, stop, token, handled, gone;

inline wake_master()
{
    if
    :: resting -> for_master = true
    :: else
    fi
}

inline say_why()
{
    why = (stop -> ENDS : (signal -> CALLED : STAYS));
    if
    :: why > cancelled ->
#ifdef BROKEN_ORDER
        again = true;
        wake_master();
        cancelled = why
#else
        cancelled = why;
        again = true;
        wake_master()
#endif
#ifdef BROKEN_ALONE
        ;
        if
        :: why == CALLED -> result = EINTR; break
        :: else
        fi
#endif
    :: else
    fi
}

active proctype caller()
{
    byte why;
    do
    :: stop || got == CALLS * PARTS -> break
    :: else ->
        if /* on the way outside, and in again */
        :: signal -> signal = false; handled = true
        :: else
        fi;
        atomic { /* nobody else knows the request before it has arrived */
            cancelled = STAYS;
            parts = 0;
            state = AWAITED;
            arrived = true
        };
        wake_master();
        if /* a few turns, or none */
        :: state == DONE -> goto answered
        :: skip
        fi;
        atomic {
            if
            :: state == DONE -> goto answered
            :: else -> state = ASLEEP
            fi
        };
        do
        :: state == LEFT -> break
        :: state == ASLEEP ->
            say_why();
            token;
            token = false
        od;
answered:
        atomic {
            assert(!arrived && !listed && !named);
            got = got + (result == OK -> PARTS : 0);
            assert(result == ECANCELED || given == got);
            assert(result != EINTR || cancelled != STAYS);
            assert(result != ECANCELED || stop)
        }
    od;
    gone = true
}

inline finish(how)
{
    assert(!gone && state != DONE && state != LEFT);
    atomic {
        listed = false;
        result = how;
#ifdef BROKEN_LATE
        result = (how == OK && cancelled == CALLED -> EINTR : how);
#endif
    };
    atomic { was = state; state = DONE };
    if
    :: was == ASLEEP -> token = true; state = LEFT
    :: else
    fi
}

/* Try the request; `how` is its result. */
inline serve()
{
    d_step {
        do
        :: kept && parts < PARTS -> kept--; parts++; given++
        :: else -> break
        od;
        named = parts < PARTS;
        how = (named -> PENDING : OK)
    }
}

inline serve_pending()
{
    why = cancelled;
#ifdef BROKEN_BEGUN
    if
    :: why != STAYS ->
#else
    if
    :: why == ENDS || (why == CALLED && parts == 0) ->
#endif
#ifndef BROKEN_NAMED
        named = false;
#endif
        how = (why == ENDS -> ECANCELED : EINTR)
    :: else -> serve()
    fi;
    if
    :: how != PENDING -> finish(how); changed = true
    :: else
    fi
}

inline take_again()
{
#ifdef BROKEN_CLEAR
    changed = changed || again
#else
    if
    :: atomic { again -> again = false; changed = true }
    :: else
    fi
#endif
}

active proctype master()
{
    bool changed = true, was_rung;
    byte why;
    mtype how, was;
end:
    do
    :: !gone ->
#ifndef BROKEN_FIRST
        take_again();
#endif
        atomic { was_rung = rung; rung = false };
        if
        :: arrived ->
            atomic { arrived = false; serve() };
            if
            :: how == PENDING -> listed = true
            :: else -> finish(how); changed = true
            fi
        :: else
        fi;
        do
        :: was_rung && lane ->
            atomic {
                lane--;
                changed = true;
                if
                :: named ->
                    assert(listed);
                    parts++;
                    given++;
                    named = parts < PARTS
                :: else -> kept++
                fi
            };
            if
            :: listed && !named -> finish(OK)
            :: else
            fi
        :: else -> break
        od;
#ifdef BROKEN_FIRST
        take_again();
#endif
        if
        :: changed ->
            changed = false;
            if
            :: listed -> serve_pending()
            :: else
            fi;
#ifdef BROKEN_CLEAR
            again = false
#endif
        :: else ->
            resting = true;
            if
            :: rung || again || arrived
            :: else ->
end_asleep:
                for_master;
                for_master = false
            fi;
            resting = false
        fi
    :: gone -> break
    od
}

active proctype sender()
{
    byte sent = 0;
end:
    do
    :: sent < PARTS || (sent < CALLS * PARTS && handled) ->
        atomic { sent++; lane++ };
        atomic { rung = true; wake_master() }
    :: gone -> break
    od
}

/* Another thread, which signals, and the operator, who may end the process. */
active proctype others()
{
    atomic { signal = true; token = true };
    if
    :: atomic { stop = true; token = true }
    :: skip
    fi
}
