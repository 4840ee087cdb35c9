/* SPDX-License-Identifier: MIT */
/*
 * The lane between two clusters (kernel/cluster/lane.c): end 0 sends, end 1 takes, and each may begin anew at any moment.
 * Words are stored and read one by one; each end has its own copy of what it knows. A message carries what it belongs to,
 * which the code does not: both epochs and its number.
 * Claims: who takes a message takes one of this very connection, and in order; a connection is never thought to be up by an
 * end whose peer counts for another one.
 * -DBROKEN_ACCEPT: who accepts echoes before it resets its counts.
 * -DBROKEN_READ: the epoch is read first, the counts last.
 * -DBROKEN_ANEW: who begins anew writes its new epoch and leaves its echo.
 */
#define SLOTS    2
#define RESTARTS 2
#define MESSAGES 3

byte epoch[2], echo[2], sent, taken;                     /* shared; end 0 writes sent, end 1 writes taken */
byte of_sender[SLOTS], of_taker[SLOTS], number[SLOTS];   /* the slots */
byte latest = 0;                                         /* epochs that were given out */
byte restarts = 0;

/* The counts of one end are back at nothing; end 0 has `sent`, end 1 `taken`. */
inline reset_count(me)
{
    if
    :: me == 0 -> sent = 0
    :: else -> taken = 0
    fi
}

inline begin_anew(me)
{
#ifndef BROKEN_ANEW
    echo[me] = 0;
#endif
    atomic { latest++; mine = latest };
    epoch[me] = mine;
    count = 0; theirs = 0; up = false; accepted = 0;
    reset_count(me)
}

inline accept_epoch(me, e)
{
    echo[me] = 0;
    count = 0; theirs = 0; up = false; accepted = e;
#ifdef BROKEN_ACCEPT
    echo[me] = e;
    reset_count(me)
#else
    reset_count(me);
    echo[me] = e
#endif
}

/* lane_poll(): reads echo, count, epoch of the other end, in this order. */
inline poll(me)
{
#ifdef BROKEN_READ
    seen_epoch = epoch[1 - me];
    seen_echo = echo[1 - me];
    seen_count = (me == 0 -> taken : sent);
#else
    seen_echo = echo[1 - me];
    seen_count = (me == 0 -> taken : sent);
    seen_epoch = epoch[1 - me];
#endif
    if
    :: seen_epoch != accepted -> accept_epoch(me, seen_epoch)
    :: seen_epoch == accepted && accepted != 0 && seen_echo == mine -> up = true; theirs = seen_count
    :: else -> skip
    fi
}

proctype sender()
{
    byte mine, accepted, count, theirs, seen_echo, seen_count, seen_epoch;
    bool up;
    begin_anew(0);
    do
    :: poll(0);
       assert(!up || theirs <= count);
       if
       :: up && count - theirs < SLOTS && count < MESSAGES ->
            of_sender[count % SLOTS] = mine;
            of_taker[count % SLOTS] = accepted;
            number[count % SLOTS] = count;
            count++;
            sent = count
       :: else -> skip
       fi
    :: restarts < RESTARTS -> restarts++; begin_anew(0)
    od
}

proctype taker()
{
    byte mine, accepted, count, theirs, seen_echo, seen_count, seen_epoch;
    bool up;
    begin_anew(1);
    do
    :: poll(1);
       assert(!up || (theirs >= count && theirs - count <= SLOTS));
       if
       :: up && theirs > count ->
            /* the sender may have begun anew since: then its slots may hold anything, and the taker will be told */
            if
            :: epoch[0] == accepted && echo[0] == mine ->
                 assert(of_sender[count % SLOTS] == accepted && of_taker[count % SLOTS] == mine && number[count % SLOTS] == count)
            :: else -> skip
            fi;
            count++;
            taken = count
       :: else -> skip
       fi
    :: restarts < RESTARTS -> restarts++; begin_anew(1)
    od
}

init { atomic { run sender(); run taker() } }
