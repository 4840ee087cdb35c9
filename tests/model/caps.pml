/* SPDX-License-Identifier: MIT */
/*
 * caps.pml - a page is revoked while another cluster takes copies of it, and that cluster may be lost at any moment and
 * live again (user/servers/caps). What a server does under its lock is one step here, where the code lets the lock go a
 * step ends.
 *
 * Claims: when the revocation is back, and nobody was silent, nobody of a cluster that lives shows a copy, and nobody begins to; the next life
 * of a cluster is sent nothing by its former one's right; the revocation ends.
 * -DBROKEN_ORDER: the holder is told first, the generation changes afterwards.
 * -DBROKEN_SENT: the home notes that something was sent after it has been.
 * -DBROKEN_RECORD: a copy's record is made when its data have come.
 * -DBROKEN_LOOK: who has filled a copy shows it without a look at whether it was revoked meanwhile.
 * -DBROKEN_ANSWER: the holder's server answers, then hides the copy.
 * -DBROKEN_SILENT: who was silent in the first revocation is not told again.
 * -DBROKEN_LOST: the home waits for the answer alone.
 * -DBROKEN_LIFE: the home does not see that the one that asks is another life.
 */
#define FREE   0
#define FILLED 1
#define SHOWN  2
#define ENDED  3
#define NONE   0 /* an answer without data */
#define DATA   1

byte generation = 1;
bool granted = true, sent;
byte life = 1, known = 1; /* the holder's cluster's; the one to which the page was granted */
byte state;
bool revoked, told;
chan asks = [1] of { byte, byte };   /* life, generation */
chan answers = [1] of { byte, byte }; /* life, what */
chan tells = [1] of { byte, byte };   /* life, which revocation */
byte answered; /* the last revocation that was */
bool owing;    /* the holder was silent */

#define LOST (life != known)

active proctype home_server()
{
    byte from, by;
    bool may;
end:
    do
    :: asks?from, by ->
        atomic {
#ifndef BROKEN_LIFE
            granted = granted && from == known;
#endif
            may = granted && by == generation;
#ifndef BROKEN_SENT
            sent = sent || may
#endif
        };
#ifdef BROKEN_SENT
        answers!from, (may -> DATA : NONE);
        sent = sent || may
#else
        answers!from, (may -> DATA : NONE)
#endif
    od
}

/* It revokes the page; if the holder is silent, once more. */
active proctype home_client()
{
    byte turn = 1;
again:
#ifdef BROKEN_ORDER
    told = owing || sent;
#else
    atomic {
        told = owing || sent;
        generation = turn + 1;
        sent = false;
        granted = false
    };
#endif
    if
    :: told && !LOST -> tells!known, turn;
        if
#ifdef BROKEN_LOST
        :: answered == turn
#else
        :: answered == turn || LOST
#endif
        :: turn == 1 -> turn = 2;
#ifndef BROKEN_SILENT
            owing = true;
#endif
            goto again
        fi
    :: else
    fi;
    atomic {
        generation = turn + 1;
        granted = false;
        assert(LOST || state != SHOWN);
        revoked = true
    }
}

/* A client takes a copy, twice at most. It ends with its cluster's life. */
active proctype taker()
{
    byte times, what, to;
end:
    do
    :: life == 1 && times < 2 && (state == FREE || state == ENDED) ->
        times++;
#ifndef BROKEN_RECORD
        state = FILLED;
#endif
        asks!1, 1;
        answers?to, what;
        atomic {
            if
            :: life != 1
#ifndef BROKEN_LOOK
            :: life == 1 && state == ENDED -> state = FREE
            :: life == 1 && state != ENDED && what == DATA -> state = SHOWN;
                assert(!revoked)
#else
            :: life == 1 && what == DATA -> state = SHOWN;
                assert(!revoked)
#endif
            :: life == 1 && state != ENDED && what == NONE -> state = FREE
            fi
        }
    :: life == 2 -> break
    od;
    /* The next life knows the words of the one before. */
    asks!2, generation;
    do
    :: answers?to, what;
        if
        :: to == 2 -> assert(what == NONE); break
        :: else
        fi
    od
}

active proctype holder_server()
{
    byte to, turn;
    bool shown;
end:
    do
    :: tells?to, turn ->
        if
        :: to != life
        :: else ->
            atomic {
                shown = state == SHOWN;
                state = (state != FREE -> ENDED : FREE);
#ifdef BROKEN_ANSWER
                answered = turn;
                state = (shown -> SHOWN : state)
#else
                answered = turn
#endif
            };
#ifdef BROKEN_ANSWER
            state = (shown -> ENDED : state)
#endif
        fi
    od
}

active proctype killer()
{
    if
    :: atomic { life = 2; state = FREE }
    :: true
    fi
}
