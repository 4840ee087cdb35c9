/* SPDX-License-Identifier: MIT */
/*
 * A page with one owner that moves between cores (kernel/svm/own.c). The owner's word is its number and how often it
 * changed; a request names the word that the asker saw, lies in a line of its own at the receiver, and is served by its
 * interrupt: at any time but while the receiver takes a page. What a core does with its own words alone is one step.
 * Claims: never do two cores map the page; who maps it sees the last value written; each core makes all its accesses:
 * the model has no invalid end state.
 * -DBROKEN_ORDER writes the word before the page is hidden.
 * -DBROKEN_DRAIN hands over what is not in memory yet.
 * -DBROKEN_INVALIDATE takes the page with what an earlier turn has left in the cache.
 * -DBROKEN_WORD compares the owner only: a request from an earlier turn of the same owner moves a page that nobody
 *  waits for any more.
 * -DBROKEN_WATCH waits until the page is its own, and does not follow one that went to another core.
 */
#define N        3
#define ACCESSES (me == 0 -> 1 : 2) /* core 0 begins as the owner */

byte owner, turns; /* the word */
bool mapped[N];
byte memory, cache[N]; /* the page's value: how many writes there were */
bool dirty[N], valid[N];
byte writes;
bool posted[N * N]; /* the line at TO from FROM: TO * N + FROM */
byte asked[N * N];  /* what it says: turns */
bool awaits[N]; /* a thread waits for the page, or has it and made no access yet */
byte done;

inline hand_over(to)
{
    owner = to;
    turns++
}

inline drain()
{
    if
    :: dirty[me] -> memory = cache[me]; dirty[me] = false
    :: else -> skip
    fi
}

/* The steps of the interrupt that others can see. */
inline give(to)
{
#if defined(BROKEN_ORDER)
    d_step { hand_over(to) };
    d_step { mapped[me] = false; drain() }
#elif defined(BROKEN_DRAIN)
    mapped[me] = false;
    d_step { hand_over(to) }
#else
    d_step { mapped[me] = false; drain() };
    d_step { hand_over(to) }
#endif
}

/* Take a request out of its line and look whether it is right, now or later. */
inline receive(from)
{
    posted[me * N + from] = false;
    go = false;
#ifdef BROKEN_WORD
    if
    :: owner == me && !awaits[me] -> go = true
    :: else -> skip
    fi
#else
    if
    :: owner == me && turns == asked[me * N + from] && !awaits[me] -> go = true
    :: owner == me && turns == asked[me * N + from] && awaits[me] -> later = from; later_turns = turns
    :: else -> skip
    fi
#endif
}

#define ONE ((me + 1) % N)
#define TWO ((me + 2) % N)

inline serve_one(from)
{
    d_step { posted[me * N + from] -> receive(from) };
    if
    :: go -> give(from)
    :: else -> skip
    fi
}

inline access()
{
    d_step {
        assert(valid[me] && cache[me] == writes);
        cache[me]++;
        writes++;
        dirty[me] = true;
        awaits[me] = false
    }
}

/* One stretch with interrupts off. The page stays until the access. */
inline take()
{
    d_step {
#ifdef BROKEN_INVALIDATE
        if
        :: !valid[me] -> cache[me] = memory; valid[me] = true
        :: else -> skip
        fi;
#else
        cache[me] = memory;
        valid[me] = true;
#endif
        assert(mapped[0] + mapped[1] + mapped[2] == 0);
        mapped[me] = true
    }
}

proctype core(byte me)
{
    byte n, to, seen;
    byte later = N, later_turns;
    bool go;
    do
    :: n == ACCESSES -> break
    :: n < ACCESSES && mapped[me] ->
        access();
        n++;
        /* the hold is over: who asked meanwhile has it now */
        d_step { go = (later < N && owner == me && turns == later_turns && mapped[me]); to = later; later = N };
        if
        :: go -> give(to)
        :: else -> skip
        fi
    :: n < ACCESSES && !mapped[me] ->
        awaits[me] = true;
        do
        :: owner == me -> take(); break
        :: atomic { owner != me -> to = owner; seen = turns };
            /* the last request may not be taken yet */
            do
            :: atomic { !posted[to * N + me] -> posted[to * N + me] = true; asked[to * N + me] = seen }; break
            :: turns != seen -> break
            :: serve_one(ONE)
            :: serve_one(TWO)
            od;
            do
#ifdef BROKEN_WATCH
            :: owner == me -> break
#else
            :: turns != seen -> break
#endif
            :: serve_one(ONE)
            :: serve_one(TWO)
            od
        od
    :: serve_one(ONE)
    :: serve_one(TWO)
    od;
    done++;
    /* the kernel stays and serves, until nobody needs the page */
    do
    :: done == N -> break
    :: serve_one(ONE)
    :: serve_one(TWO)
    od
}

init {
    atomic {
        mapped[0] = true;
        valid[0] = true;
        run core(0);
        run core(1);
        run core(2)
    }
}
