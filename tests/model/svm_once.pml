/* SPDX-License-Identifier: MIT */
/*
 * A page that is written once (kernel/svm/own.c): its owner writes it until another core asks to read it; then the
 * owner keeps it read-only and says so in the page's word, which is never written again. A write of another core moves
 * the page as one of a strong page does, if nobody has read it. A core that maps the page reads what memory has.
 * Claims: what a core reads is the last value that is ever written; every core comes to its end.
 * -DBROKEN_ORDER says so before the owner's own map is read-only: it writes on.
 * -DBROKEN_DRAIN says so before what was written is in memory.
 * -DBROKEN_INVALIDATE reads what an earlier access has left in the cache.
 * -DBROKEN_LATE lets a write that asked before move the page after it was published.
 */
#define N    3
#define ALL  N

byte owner, turns;
byte memory, last; /* the page's value in memory; how many writes there were */
byte cache[N];
bool valid[N], dirty[N], writable[N];
bool posted[N * N], reads[N * N];
byte asked[N * N];
bool read;
byte done;
bool awaits[N]; /* a thread waits for the page, or has it and made no access yet: requests wait */
bool late_hide[N];

inline drain()
{
    if
    :: dirty[me] -> memory = cache[me]; dirty[me] = false
    :: else -> skip
    fi
}

inline say(whom)
{
    owner = whom;
    turns++
}

/* The steps of the interrupt that others can see, and that fall between the writes of the core that is interrupted
 * only where an order is broken. */
inline answer(from)
{
    d_step {
        posted[me * N + from] = false;
#ifdef BROKEN_LATE
        go = ((owner == me || owner == ALL));
#else
        go = (owner == me && turns == asked[me * N + from]);
#endif
        to = (reads[me * N + from] -> ALL : from)
    };
    if
#if defined(BROKEN_ORDER)
    :: go -> d_step { drain(); say(to) }; late_hide[me] = true
#elif defined(BROKEN_DRAIN)
    :: go -> writable[me] = false; d_step { say(to) }; d_step { drain() }
#else
    :: go -> d_step { writable[me] = false; drain() }; d_step { say(to) }
#endif
    :: else -> skip
    fi
}

#define ONE ((me + 1) % N)
#define TWO ((me + 2) % N)

inline serve()
{
    if
    :: posted[me * N + ONE] && !(awaits[me] && owner == me) -> answer(ONE)
    :: posted[me * N + TWO] && !(awaits[me] && owner == me) -> answer(TWO)
    fi
}

inline fill_cache()
{
#ifdef BROKEN_INVALIDATE
    if
    :: !valid[me] -> cache[me] = memory; valid[me] = true
    :: else -> skip
    fi
#else
    cache[me] = memory;
    valid[me] = true
#endif
}

/* Core 0 writes twice and core 1 once, if they may; then core 1 and core 2 read. */
proctype core(byte me)
{
    byte writes, to, seen;
    bool go, finished;
    writes = (me == 0 -> 2 : (me == 1 -> 1 : 0));
    do
    :: finished -> break
    :: !finished && writes && writable[me] ->
        d_step { fill_cache(); assert(!read); last++; cache[me] = last; dirty[me] = true; awaits[me] = false; writes-- };
        if
        :: late_hide[me] -> writable[me] = false
        :: else -> skip
        fi
    :: !finished && !writes && me == 0 -> finished = true
    :: !finished && owner == ALL ->
        d_step {
            fill_cache();
            if
            :: me -> assert(cache[me] == last); read = true
            :: else -> skip
            fi;
            awaits[me] = false;
            finished = true /* a write now would be an error of the program */
        }
    :: !finished && owner == me && !writable[me] && writes ->
        d_step {
            if
            :: owner == me -> awaits[me] = true; writable[me] = true; fill_cache()
            :: else -> skip
            fi
        }
    :: !finished && owner == me && !writes && me -> /* its own page: it has read it */
        d_step {
            if
            :: owner == me -> assert((dirty[me] -> cache[me] : memory) == last); awaits[me] = false; finished = true
            :: else -> skip
            fi
        }
    :: atomic { !finished && owner != me && owner != ALL && (writes || me) && !posted[owner * N + me] ->
        awaits[me] = true; posted[owner * N + me] = true; asked[owner * N + me] = turns; reads[owner * N + me] = (writes == 0); seen = turns };
        do
        :: turns != seen -> break
        :: serve()
        od
    :: !finished && (posted[me * N + ONE] || posted[me * N + TWO]) && !(awaits[me] && owner == me) -> serve()
    od;
    done++;
    do
    :: done == N -> break
    :: posted[me * N + ONE] || posted[me * N + TWO] -> serve()
    od
}

init {
    atomic {
        writable[0] = true;
        run core(0);
        run core(1);
        run core(2)
    }
}
