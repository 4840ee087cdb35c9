/* SPDX-License-Identifier: MIT */
/*
 * The lane between two clusters (kernel/cluster/lane.c): end 0 sends, end 1 takes, and each may begin anew at any moment.
 * Words are stored and read one by one; each end has its own copy of what it knows, and looks at the other's words only
 * when `news` has changed. The one slot is used while the sender's bit `put` and the taker's bit `taken` differ; more of
 * them are lane_slots.pml's. A message carries what it belongs to, which the code does not: both epochs and its number. The
 * sender's cluster may be started again by its firmware, which clears all its words and slots; then its kernel begins.
 * Claims: who takes a message takes one of this very connection, whole, and in order; an end that thinks that the
 * connection is up uses a bit of this very one; no epoch that is read is older than one that was read before, so what is
 * dropped as a former life's is none; when nobody has any news, both ends are up and all that was sent is taken.
 * -DBROKEN_ACCEPT: who accepts echoes before it clears its bit.
 * -DBROKEN_READ: the epoch is read first, the bits last.
 * -DBROKEN_ANEW: who begins anew writes its new epoch and leaves its echo.
 * -DBROKEN_NEWS: who sends tells of it before it changes its bit.
 * -DBROKEN_LATE: who looks reads `news` last.
 * -DBROKEN_CLEAR: the firmware clears slots before it clears the epoch.
 * -DBROKEN_COPY: who has copied a message does not look at the epoch again.
 * -DBROKEN_NUMBER: the next life has the number of the one before, as by a clock that has come round.
 * -DBROKEN_ONCE: who has accepted an epoch and is not up waits for news.
 */
#define RESTARTS 1
#define MESSAGES 2

byte epoch[2], echo[2], news[2];                         /* shared */
bit put, taken;                                          /* shared; end 0 writes put, end 1 writes taken */
byte of_mine[2], of_other[2];                            /* of each bit: the epochs with which it was written */
byte total[2];                                           /* how many each end has put or taken in this connection */
byte of_sender, of_taker, number;                        /* the slot; all 0 where it was cleared */
byte latest = 0;                                         /* epochs that were given out */
byte restarts = 0;
byte heard[2];
bool is_up[2];
byte newest[2]; /* of the epochs that each end has read */

/* The bit of one end is clear again. */
inline clear_bit(me)
{
    atomic {
        of_mine[me] = mine; of_other[me] = accepted;
        if
        :: me == 0 -> put = 0
        :: else -> taken = 0
        fi
    }
}

/* In the code the news of two lives begin far from each other, so that no news equals an old one. */
inline tell(me) { news[me] = news[me] + 1 }

inline begin_anew(me)
{
#ifndef BROKEN_ANEW
    echo[me] = 0;
#endif
    atomic {
#ifdef BROKEN_NUMBER
        mine = 1 + me;
#else
        latest++; mine = latest;
#endif
        count = 0; total[me] = 0; theirs = 0; is_up[me] = false; accepted = 0; heard[me] = 255;
        epoch[me] = mine
    };
    clear_bit(me);
    tell(me)
}

inline accept_epoch(me, e)
{
    atomic { echo[me] = 0; count = 0; total[me] = 0; theirs = 0; is_up[me] = false; accepted = e };
#ifdef BROKEN_ACCEPT
    echo[me] = e;
    clear_bit(me);
#else
    clear_bit(me);
    echo[me] = e;
#endif
    tell(me)
}

inline read_bit(me)
{
    atomic { seen_bit = (me == 0 -> taken : put); seen_mine = of_mine[1 - me]; seen_other = of_other[1 - me] }
}

/* lane_poll(): reads news, then echo, bit, epoch of the other end, in this order. */
inline read(me)
{
#ifndef BROKEN_LATE
    seen_news = news[1 - me];
#endif
#ifdef BROKEN_READ
    seen_epoch = epoch[1 - me];
    seen_echo = echo[1 - me];
    read_bit(me);
#else
    seen_echo = echo[1 - me];
    read_bit(me);
    seen_epoch = epoch[1 - me];
#endif
#ifdef BROKEN_LATE
    seen_news = news[1 - me];
#endif
    assert(seen_epoch == 0 || seen_epoch >= newest[me]);
    if
    :: seen_epoch != 0 -> newest[me] = seen_epoch
    :: else -> skip
    fi;
    atomic { heard[me] = seen_news; again = seen_epoch != accepted };
    if
    :: seen_epoch != accepted -> accept_epoch(me, seen_epoch)
    :: seen_epoch == accepted && accepted != 0 && seen_echo == mine -> 
        atomic { assert(seen_mine == accepted && seen_other == mine); is_up[me] = true; theirs = seen_bit }
    :: else -> skip
    fi
}

inline poll(me)
{
    read(me);
    if
    :: again -> read(me)
    :: else
    fi
}

#ifdef BROKEN_ONCE
#define LOOKS(me) (news[1 - me] != heard[me])
#else
#define LOOKS(me) (news[1 - me] != heard[me] || (accepted != 0 && !is_up[me]))
#endif

/* The sender's cluster is stopped and started again: clear what it has said. */
inline clear()
{
#ifndef BROKEN_CLEAR
    epoch[0] = 0;
#endif
    of_sender = 0;
    of_taker = 0;
    echo[0] = 0;
    atomic { number = 0; put = 0; news[0] = 0 };
#ifdef BROKEN_CLEAR
    epoch[0] = 0;
#endif
    skip
}

proctype sender()
{
    byte mine, accepted, count, theirs, seen_echo, seen_bit, seen_mine, seen_other, seen_epoch, seen_news;
    bool again;
    begin_anew(0);
end:
    do
    :: LOOKS(0) -> poll(0)
    :: is_up[0] && count % 2 == theirs && count < MESSAGES ->
        atomic { of_sender = mine; of_taker = accepted; number = count; count++ };
#ifdef BROKEN_NEWS
        tell(0);
        atomic { put = count % 2; of_mine[0] = mine; of_other[0] = accepted; total[0] = count }
#else
        atomic { put = count % 2; of_mine[0] = mine; of_other[0] = accepted; total[0] = count };
        tell(0)
#endif
    :: restarts < RESTARTS -> restarts++; begin_anew(0)
    :: restarts < RESTARTS -> restarts++; clear(); begin_anew(0)
    :: restarts < RESTARTS -> restarts = RESTARTS /* no more of them */
    od
}

proctype taker()
{
    byte mine, accepted, count, theirs, seen_echo, seen_bit, seen_mine, seen_other, seen_epoch, seen_news;
    byte got_sender, got_taker, got_number;
    bool again;
    begin_anew(1);
end:
    do
    :: LOOKS(1) -> poll(1)
    :: is_up[1] && theirs != count % 2 ->
        got_sender = of_sender;
        got_taker = of_taker;
        got_number = number;
        /* the sender may have begun anew since: then its slots may hold anything, and the taker will be told */
        if
#ifdef BROKEN_COPY
        :: true ->
#else
        :: epoch[0] == accepted ->
#endif
            assert(got_sender == accepted && got_taker == mine && got_number == count)
#ifndef BROKEN_COPY
        :: else -> skip
#endif
        fi;
        atomic { count++; taken = count % 2; of_mine[1] = mine; of_other[1] = accepted; total[1] = count };
        tell(1)
    :: restarts < RESTARTS -> restarts++; begin_anew(1)
    od
}

init {
    atomic { run sender(); run taker() }
    timeout;
    assert(is_up[0] && is_up[1] && total[0] == MESSAGES && total[1] == MESSAGES)
}
