/* SPDX-License-Identifier: MIT */
/*
 * request_queued.pml - requests that wait in a queue of their own (REQUEST_QUEUED; kernel/cluster/master.c, semaphore.c
 * with CLUSTER_REMOTE_ALL): two threads that take from a semaphore, one that gives to it, and the master. With -DCLOSES
 * the giver closes it and makes it again in the same slot; with -DSTOPS the process may be ended; with -DREADS another
 * caller's request is pending. Who sleeps and who wakes is request.pml's matter.
 *
 * A request is left, then taken by the master, then done, queued or pending. A queued one is in the master's list and in
 * the queue of its semaphore. The master looks at it only after request_again(); who gives finishes the first one of the
 * semaphore's queue. So the events meet that may end it: a gift; a signal for its caller, which calls again; the end of
 * its process, whose last thread frees the slots. Who takes may look first (try_down), and a gift may come between the
 * look and the request. What is pending is tried whenever something has changed; its cluster answers or is lost.
 *
 * Claims: a caller continues when neither list nor queue has its request; each gift is one caller's, or stays in the
 * value, and is never told as EINTR; nobody takes before who waits; the queue of a slot that is made is empty; nobody
 * sleeps for good (an invalid end state).
 * -DBROKEN_WAITS: a request that is tried again enters the semaphore's queue once more.
 * -DBROKEN_LEAVE: who is dropped stays in the semaphore's queue.
 * -DBROKEN_LIST: who is given to stays in the master's list.
 * -DBROKEN_VALUE: a gift goes into the value though a request waits.
 * -DBROKEN_BUSY: a semaphore is closed though a request waits (with -DCLOSES).
 * -DBROKEN_END: the slots of a process are freed when it is told to end, and not when its last thread has (-DSTOPS).
 * -DBROKEN_FIRST: the master takes what arrives before it takes that it was told.
 * -DBROKEN_CLEAR: the master forgets that it was told after it has looked, and not before.
 * -DBROKEN_ORDER: a caller tells the master to look before it says why.
 * -DBROKEN_EITHER: the master does not look at what is queued where a pending request was finished (-DREADS).
 * -DBROKEN_LATE: who gives looks whether the caller has a signal, and says EINTR then.
 */
#ifndef TAKERS
#define TAKERS 2
#endif
#define GIVER  2
#define READER 3
#define CALLERS 4
#define MOST   2

mtype = { IDLE, LEFT, TAKEN, QUEUED, PENDING, DONE };                /* of a request */
mtype = { TRY, DOWN, UP, CLOSE, CREATE, READ };                      /* what it asks */
mtype = { OK, EAGAIN, EBADF, EBUSY, ENOSPC, EIO, EINTR, ECANCELED, LATER }; /* its result */
#define STAYS  0
#define CALLED 1
#define ENDS   2

mtype state[CALLERS] = IDLE, op[CALLERS], result[CALLERS];
byte cancelled[CALLERS];
bool waits[CALLERS], signal[CALLERS];
chan arrivals = [CALLERS] of { byte };
chan queued = [CALLERS] of { byte };  /* the master's list */
chan waiters = [CALLERS] of { byte }; /* the semaphore's */
byte owner = 1, value, gone;
byte gifts; /* that were given and not yet told to who takes them; not when the semaphore is closed */
bool again, rung, stop, answered, lost, over; /* over: the first taker's calls */

/* Why the caller is to end its call. It is woken for that. */
#define WHY(me) (me == READER -> STAYS : (stop -> ENDS : (signal[me] -> CALLED : STAYS)))

/* A caller. Returns when the request is done, in result[me]. */
inline call(me, what)
{
    atomic {
        assert(state[me] == IDLE);
        op[me] = what;
        state[me] = LEFT;
        arrivals!me
    };
    do
    :: atomic { state[me] == DONE -> state[me] = IDLE; break }
    :: atomic { state[me] != DONE && WHY(me) > cancelled[me] ->
#ifdef BROKEN_ORDER
        again = true };
        cancelled[me] = WHY(me)
#else
        cancelled[me] = WHY(me) };
        again = true
#endif
    od;
    atomic {
        assert(!(waiters ?? [eval(me)]) && !(queued ?? [eval(me)]));
        assert(result[me] != EINTR || cancelled[me] == CALLED);
        assert(result[me] != ECANCELED || stop);
        cancelled[me] = STAYS;
        waits[me] = false
    }
}

proctype taker(byte me)
{
    bool done = false;
    do
    :: stop || done -> break
    :: else ->
        signal[me] = false; /* handled on the way outside */
        if
        :: call(me, TRY) /* or not */
        :: result[me] = EAGAIN
        fi;
        if
        :: result[me] == EAGAIN && !stop -> call(me, DOWN)
        :: else
        fi;
        d_step {
            if
            :: result[me] == OK -> gifts--; done = true
            :: result[me] == EBADF -> done = true /* it was closed */
            :: else
            fi;
            result[me] = 0
        }
    od;
    atomic { over = over || me == 0; gone++ }
}

/* It gives one for each taker, and none while a signal for the first one was not handled: so a signal that ends no call
 * is somebody who sleeps for good. Or one or none, and closes what nobody waits for, makes it again and closes it. */
active proctype giver()
{
    byte turn = 0;
    do
#ifndef CLOSES
    :: turn < TAKERS && !stop && (!signal[0] || over) -> call(GIVER, UP); turn++
    :: turn == TAKERS || stop -> break
#else
    :: turn == 0 && !stop -> call(GIVER, UP); turn = 1
    :: turn == 0 -> turn = 1
    :: turn == 1 && !stop -> call(GIVER, CLOSE);
        if
        :: atomic { result[GIVER] == EBUSY -> turn = 0 }
        :: atomic { result[GIVER] == OK -> turn = 2 }
        fi
    :: turn == 2 && !stop -> call(GIVER, CREATE); turn = 3
    :: turn == 3 && !stop -> call(GIVER, CLOSE);
        if
        :: atomic { result[GIVER] == EBUSY -> result[GIVER] = 0 }; call(GIVER, UP)
        :: atomic { result[GIVER] == OK -> turn = 4 }
        fi
    :: turn == 4 || stop -> break
#endif
    od;
    atomic { result[GIVER] = 0; gone++ }
}

#ifdef READS
active proctype reader()
{
    call(READER, READ);
    assert(result[READER] == (answered -> OK : EIO))
}
#endif

inline finish(who, how)
{
    atomic {
        assert(state[who] != IDLE && state[who] != DONE);
        result[who] = how;
        state[who] = DONE
    }
}

inline up(who)
{
    if
    :: owner != 1 -> how = EBADF
#ifdef BROKEN_VALUE
    :: owner == 1 && value < MOST -> value++; gifts++; how = OK
    :: owner == 1 && value == MOST -> how = ENOSPC
#else
    :: owner == 1 && nempty(waiters) ->
        waiters?first;
#ifndef BROKEN_LIST
        queued??eval(first);
#endif
        gifts++;
#ifdef BROKEN_LATE
        finish(first, (cancelled[first] == CALLED -> EINTR : OK));
#else
        finish(first, OK);
#endif
        how = OK
    :: owner == 1 && empty(waiters) && value < MOST -> value++; gifts++; how = OK
    :: owner == 1 && empty(waiters) && value == MOST -> how = ENOSPC
#endif
    fi
}

/* Try the request: one step, as nobody else uses the table. */
inline serve(who)
{
    atomic {
        if
        :: op[who] == UP -> up(who)
#ifndef BROKEN_WAITS
        :: op[who] == DOWN && waits[who] -> how = LATER
        :: op[who] == DOWN && !waits[who] ->
#else
        :: op[who] == DOWN ->
#endif
            if
            :: owner != 1 -> how = EBADF
            :: owner == 1 && value -> value--; how = OK; assert(empty(waiters))
            :: owner == 1 && !value -> waiters!who; waits[who] = true; how = LATER
            fi
        :: op[who] == TRY ->
            if
            :: owner != 1 -> how = EBADF
            :: owner == 1 && value -> value--; how = OK; assert(empty(waiters))
            :: owner == 1 && !value -> how = EAGAIN
            fi
        :: op[who] == CLOSE ->
            if
            :: owner != 1 -> how = EBADF
#ifndef BROKEN_BUSY
            :: owner == 1 && nempty(waiters) -> how = EBUSY
            :: owner == 1 && empty(waiters) -> owner = 0; gifts = gifts - value; value = 0; how = OK
#else
            :: owner == 1 -> owner = 0; gifts = gifts - value; value = 0; how = OK
#endif
            fi
        :: op[who] == CREATE -> assert(empty(waiters)); owner = 1; how = OK
        :: op[who] == READ -> how = (answered -> OK : (lost -> EIO : LATER))
        fi
    }
}

inline take_again()
{
#ifdef BROKEN_CLEAR
    atomic { asked = again; changed = changed || asked }
#else
    atomic { asked = again; again = false; changed = changed || asked }
#endif
}

inline serve_arrivals()
{
    atomic {
        do
        :: arrivals?who -> state[who] = TAKEN; taken!who
        :: empty(arrivals) -> break
        od
    };
    do
    :: atomic { taken?who ->
            serve(who);
            if
            :: how == LATER && op[who] == READ -> state[who] = PENDING
            :: how == LATER && op[who] != READ -> state[who] = QUEUED; queued!who
            :: else -> finish(who, how); changed = true
            fi;
            who = 0; first = 0; how = 0
        }
    :: empty(taken) -> break
    od
}

/* Look once why it is to end: drop it, or try it again. */
inline serve_queued()
{
    left = len(queued);
    do
    :: atomic { left > 0 ->
            left--;
            queued?who;
            assert(state[who] == QUEUED);
            if
            :: cancelled[who] != STAYS ->
                assert(waiters ?? [eval(who)]);
#ifndef BROKEN_LEAVE
                waiters??eval(who);
#endif
                how = (cancelled[who] == ENDS -> ECANCELED : EINTR)
            :: else -> serve(who)
            fi;
            if
            :: how == LATER -> queued!who
            :: else -> finish(who, how); changed = true
            fi;
            who = 0; how = 0
        }
    :: left == 0 -> break
    od
}

active proctype master()
{
    chan taken = [CALLERS] of { byte };
    bool changed = true, asked, any;
    byte who, first, left;
    mtype how;
end:
    do
    :: atomic { changed || again || rung || nempty(arrivals) -> changed = changed || rung; rung = false };
#ifndef BROKEN_FIRST
        take_again();
#endif
        serve_arrivals();
#ifdef BROKEN_FIRST
        take_again();
#endif
        if
        :: changed ->
            changed = false;
            any = false;
            if
            :: state[READER] == PENDING ->
                serve(READER);
                if
                :: how != LATER -> finish(READER, how); any = true
                :: else
                fi
            :: else
            fi;
            if
#ifdef BROKEN_EITHER
            :: asked && !any -> serve_queued()
#else
            :: asked -> serve_queued()
#endif
            :: else
            fi;
            changed = changed || any
#ifdef BROKEN_CLEAR
            ;
            again = false
#endif
        :: else
        fi
    od
}

/* The reader's cluster answers, or is lost. */
#ifdef READS
active proctype peer()
{
    if
    :: atomic { answered = true; rung = true }
    :: atomic { lost = true; rung = true }
    fi
}
#endif

inline free_slots()
{
    atomic {
        if
        :: owner == 1 -> gifts = gifts - value; value = 0
        :: else
        fi;
        owner = 2; /* another process makes one there */
        do
        :: waiters?_ /* its queue is a new one */
        :: empty(waiters) -> break
        od
    }
}

/* Another thread, which signals; and the operator, who may end the process. */
active proctype others()
{
    if
    :: signal[0] = true
    :: skip
    fi
#ifdef STOPS
    ;
    if
    :: stop = true;
#ifdef BROKEN_END
        free_slots()
#endif
    :: skip
    fi
#endif
}

/* The last thread of the process frees what it had. */
active proctype last()
{
    gone == TAKERS + 1;
    atomic {
        assert(empty(waiters) && empty(queued));
        assert(gifts == (owner == 1 -> value : 0))
    };
    free_slots()
}

init { atomic { run taker(0); if :: TAKERS == 2 -> run taker(1) :: else fi } }
