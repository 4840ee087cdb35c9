/* SPDX-License-Identifier: MIT */
/*
 * Lives (docs/lives.md), at any step of which a stop or a restart may come. Three parts, each checked by itself.
 *
 * Default: a program on N kernels. A host resets kernels and starts them again, with a number that it counts, or orders a
 * member to end. A kernel
 * clears its own words before it is up. In the first phase of the meeting each member says its number, and reads those
 * of all others; in the second it says what it has read, and waits until all others say that they have read its number. A loss is a number that differs from the one read there, or a member that
 * says that it has gone, which a member passes on. Claims: when a member begins all others know it; when nothing happens
 * any more, either no member works, or all work, each in the life that all others have read.
 * -DBROKEN_COUNT: each counts at its own moment who is up, and begins with those (no meeting).
 * -DBROKEN_UP: a loss is a kernel that is not up at the moment of a look.
 * -DBROKEN_SEAL: who has read all numbers begins; nobody waits for the second phase.
 * -DBROKEN_TELL: who has lost a member ends and tells nobody.
 *
 * -DPAGES: a writer sends messages of two pages, through a buffer that it clears when it begins anew. A reader copies
 * them. Claim: a copy that succeeds is whole, and both pages of a message are of one life.
 * -DBROKEN_COPY: the reader does not look whether the writer's number has changed under the copy.
 * -DBROKEN_CLEAR: the writer clears the buffer before its number.
 * -DBROKEN_NAME: the reader knows the writer by its place only, not by its life.
 *
 * -DDOMAIN: a domain that restarts after a reset, its keeper (core/domain.c), and an operator that stops it and starts
 * it again. Claims: a stop returns when the life that it found is over, whatever follows, and what follows is not a
 * restart of that life; the board is off only when the domain does not run and is not about to.
 * -DBROKEN_LATER: a stop lets go of the domain before it looks whether a restart is due.
 * -DBROKEN_OFF: a domain that waits for its restart does not count as running.
 * -DBROKEN_LIFE: a stop waits until the domain is stopped, whichever life that was.
 */
#if defined(DOMAIN)

#define STARTS 4 /* at most */
mtype = { STOPPED, RUNNING, STOPPING };
mtype = { NONE, RESET, OFF, BY_OPERATOR };
mtype state = RUNNING, end = NONE;
byte life = 1, over;        /* over: the last life that has ended */
bool held, ended, off;      /* held: a start is under way, or a stop has the domain; ended: for the keeper */
bool endless;               /* the last life does not end by itself */
bool restarted[STARTS + 2]; /* by life: the keeper has begun it, for the claims */

#define wants_restart (end == RESET)

/* changed.lock is held in each atomic step. A start takes its time while `held`. */
inline begin(by_keeper)
{
    state = RUNNING;
    end = NONE;
    held = true;
    life++;
    restarted[life] = by_keeper
}
inline begun() { held = false }

/* The domain: ends by itself, or leaves because it was told to. */
proctype domain()
{
end_domain:
    do
    :: atomic { state == RUNNING && !held && life < STARTS -> state = STOPPING; end = RESET }
    :: atomic { state == RUNNING && !held && life >= STARTS && !endless -> state = STOPPING; end = OFF }
    :: atomic { state == RUNNING && !held && life >= STARTS && !endless -> endless = true }
    :: atomic { state == STOPPING && !held -> state = STOPPED; over = life; ended = true }
    :: off -> break
    od
}

proctype keeper()
{
end_keeper:
    do
    :: atomic { ended -> ended = false };
        /* the pause */
        if
        :: atomic { !held && state == STOPPED && wants_restart -> begin(true) };
            begun()
        :: atomic { !held && !(state == STOPPED && wants_restart) -> skip }
        fi;
        atomic {
            if
#ifdef BROKEN_OFF
            :: state == STOPPED && end != BY_OPERATOR ->
#else
            :: state == STOPPED && end != BY_OPERATOR && !wants_restart ->
#endif
                assert(state == STOPPED && !wants_restart);
                off = true;
                break
            :: else
            fi
        }
    :: off -> break
    od
}

inline decide()
{
    if
    :: state == RUNNING -> state = STOPPING; end = BY_OPERATOR
    :: state != RUNNING && wants_restart -> end = BY_OPERATOR
    :: else
    fi
}

proctype stops()
{
    byte mine, n;
    do
    :: n < 2 && !off ->
        n++;
        atomic { !held -> held = true };
        atomic {
            mine = life;
#ifdef BROKEN_LATER
            if
            :: state == RUNNING -> state = STOPPING; end = BY_OPERATOR
            :: else
            fi
#else
            decide()
#endif
        };
        held = false;
#ifdef BROKEN_LIFE
        state != STOPPING;
        state == STOPPED;
#else
        state != STOPPING || life != mine;
#endif
        atomic {
#ifdef BROKEN_LATER
            if
            :: state == STOPPED -> decide()
            :: else
            fi;
#endif
            assert(over >= mine);         /* what it found is over */
            assert(!restarted[mine + 1]); /* and nobody but the operator begins another one after it */
            mine = 0
        }
    :: n == 2 || off -> break
    od
}

proctype starts()
{
    byte n;
    do
    :: n < 2 && !off ->
        n++;
        if
        :: atomic { !held && state == STOPPED && life < STARTS -> begin(false) };
            begun()
        :: atomic { !held && (state == RUNNING || life >= STARTS) -> skip } /* refused */
        :: off -> skip
        fi
    :: n == 2 || off -> break
    od
}

init { atomic { run domain(); run keeper(); run stops(); run starts() } }

#elif defined(PAGES)

#define RESETS 2
#ifdef BROKEN_NAME
#define TOKEN(page, number) page
#define SAME(number) true
#else
#define TOKEN(page, number) (page * 4 + number)
#define SAME(number) (first == number)
#endif
byte number;          /* the writer's, in its own half: 0 while it begins */
byte buffer[2];       /* a page is two halves; here they hold the life that wrote them */
byte page, taken;     /* which page of the message is in the buffer, counted; the last one that the reader has taken */
byte life = 1, resets;
bool begins = true;   /* the writer is to begin anew */

/* Its own life: a reset may come before each of its steps. */
#define STEP(what) atomic { if :: begins -> goto anew :: else -> what fi }

proctype writer()
{
anew:
    begins = false;
#ifdef BROKEN_CLEAR
    buffer[0] = 0;
    buffer[1] = 0;
    page = 0;
    STEP(number = 0);
#else
    number = 0;
    STEP(buffer[0] = 0);
    STEP(buffer[1] = 0);
    STEP(page = 0);
#endif
    do
    :: STEP(skip);
        STEP(buffer[0] = life);
        STEP(buffer[1] = life);
        STEP(page = page + 1; number = life);
        atomic { begins || taken == TOKEN(page, life) };
        if
        :: begins -> goto anew
        :: !begins && page == 2 -> break
        :: else
        fi
    od;
end_writer:
    atomic { begins -> goto anew }
}

proctype host()
{
    do
    :: atomic { resets < RESETS -> resets++; life++; begins = true }
    :: break
    od
}

proctype reader()
{
    byte from, at, half0, half1, first;
    bool more;
end_reader:
    do
    :: atomic { number != 0 && TOKEN(page, number) != taken -> from = number; at = page };
        half0 = buffer[0];
        half1 = buffer[1];
#ifdef BROKEN_COPY
        more = true;
#else
        atomic { more = (number == from && page == at) };
#endif
        if
        :: more ->
            assert(half0 == half1 && half0 == from); /* whole, and of the life that it is said to be */
            if
            :: at == 1 -> first = from
            :: at == 2 && SAME(from) -> assert(first == half0)
            :: at == 2 && !SAME(from) -> skip /* dropped and counted: its first page was never read */
            fi;
            taken = TOKEN(at, from)
        :: else -> skip /* an error: the writer has begun anew */
        fi;
        atomic { from = 0; at = 0; half0 = 0; half1 = 0; more = false }
    od
}

init { atomic { run writer(); run host(); run reader() } }

#else /* a program on several kernels */

#define N 3
#define EVENTS 2 /* resets and stops */
byte life[N], next[N]; /* 0: the kernel is down; counted by the host */
byte said[N];
byte seen[N * N];      /* what member i has read of member j: at N * i + j */
bool sealed[N];        /* `seen` is said, too */
bool gone[N];          /* its program has ended, and says so */
bool stopped[N];       /* an order to end has come */
bool works[N];         /* for the claims */
byte events;

#define ONE ((me + 1) % N)
#define TWO ((me + 2) % N)
#define SEEN(m) seen[N * me + m]
#define DEAD (life[me] != my)
#define STEP(what) atomic { if :: DEAD -> goto dead :: stopped[me] && !DEAD -> goto lost :: else -> what fi }
#define END(what) atomic { if :: DEAD -> goto dead :: else -> what fi }
#ifdef BROKEN_UP
#define LOST(m) (life[m] == 0 || gone[m])
#else
#define LOST(m) ((SEEN(m) && life[m] != SEEN(m)) || gone[m])
#endif

/* When a member begins, all others have read its number, unless they are lost already. */
#define KNOWS(m) (seen[N * m + me] == my || life[m] != SEEN(m) || gone[m])

#define SEALED(m) (sealed[m] && seen[N * m + me] == my && life[m] == SEEN(m))

proctype host()
{
    byte who;
    do
    :: events < EVENTS ->
        events++;
        if
        :: who = 0
        :: who = 1
        :: who = 2
        :: atomic { stopped[0] = true; goto again } /* all members are alike */
        fi;
        atomic { life[who] = 0; works[who] = false };
        /* the kernel clears its own words before it is up */
        atomic { said[who] = 0; sealed[who] = false; gone[who] = false; stopped[who] = false; next[who]++; life[who] = next[who] }
again:
        skip
    :: break
    od
}

proctype member(byte me)
{
    byte my;
dead:
end_down:
    atomic { life[me] != 0 -> my = life[me]; SEEN(ONE) = 0; SEEN(TWO) = 0 };
#ifdef BROKEN_COUNT
    STEP(SEEN(ONE) = life[ONE]);
    STEP(SEEN(TWO) = life[TWO]);
#else
    STEP(said[me] = my);
end_one: /* whoever does not come is waited for */
    atomic { DEAD || stopped[me] || said[ONE] || gone[ONE] };
    STEP(SEEN(ONE) = said[ONE]);
end_two:
    atomic { DEAD || stopped[me] || said[TWO] || gone[TWO] };
    STEP(SEEN(TWO) = said[TWO]);
    if
    :: !SEEN(ONE) || !SEEN(TWO) -> goto lost
    :: else
    fi;
    STEP(sealed[me] = true);
#ifndef BROKEN_SEAL
    atomic { DEAD || stopped[me] || SEALED(ONE) || LOST(ONE) };
    STEP(if :: !SEALED(ONE) -> goto lost :: else fi);
    atomic { DEAD || stopped[me] || SEALED(TWO) || LOST(TWO) };
    STEP(if :: !SEALED(TWO) -> goto lost :: else fi);
#endif
#endif
    STEP(works[me] = true; assert(KNOWS(ONE) && KNOWS(TWO)));
end_works:
    atomic { DEAD || stopped[me] || LOST(ONE) || LOST(TWO) };
lost:
#ifdef BROKEN_TELL
    END(works[me] = false);
#else
    END(works[me] = false; gone[me] = true);
#endif
end_gone:
    atomic { DEAD -> goto dead }
}

#define AGREE(i, j) (seen[N * i + j] == life[j])
proctype claim()
{
end_claim:
    timeout ->
        atomic {
            assert(works[0] == works[1] && works[1] == works[2]);
            assert(!works[0] || (AGREE(0, 1) && AGREE(0, 2) && AGREE(1, 0) && AGREE(1, 2) && AGREE(2, 0) && AGREE(2, 1)))
        }
}

init
{
    atomic {
        life[0] = 1; life[1] = 1; life[2] = 1;
        next[0] = 1; next[1] = 1; next[2] = 1;
        run host();
        run member(0);
        run member(1);
        run member(2);
        run claim()
    }
}
#endif
