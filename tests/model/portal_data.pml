/* SPDX-License-Identifier: MIT */
/*
 * Portals (kernel/cluster/portal.h): a writer fills buffers and announces them before its reader wants the data; the
 * reader keeps the notices, copies out of a buffer in two steps, and gives it back. The lane between them is lane.pml's:
 * notices keep their order, and none of an earlier life of the writer's cluster comes after its loss was told. A second
 * process of that cluster writes what nobody reads, may end, and then wants a buffer in its next life: the reader's cluster
 * is asked for one of the former life's. Numbers of messages grow through all lives of the writer.
 * Once either the writer's cluster is started again by its firmware, which clears its word `life` and then its buffers,
 * or the writer's process ends, which its cluster says by `owner`, and starts again. A permission is for PAGES pages.
 * Claims: what is copied is what was announced, in order; a buffer is announced again only after it was done with; each
 * process always has a buffer, or can have one, also its next life; pages of one permission are of one life; after a process was told of as
 * ended none of its pages comes; nobody waits for one that has ended.
 * -DBROKEN_GONE: a copy that began before the writer was lost says done to its next life.
 * -DBROKEN_EARLY: the reader says done before it has copied.
 * -DBROKEN_ORDER: the reader takes any notice, not the oldest.
 * -DBROKEN_QUOTA: a process takes every buffer that is free.
 * -DBROKEN_ZERO: the reader does not look at `life` after it has copied.
 * -DBROKEN_CLEAR: the firmware clears buffers before `life`.
 * -DBROKEN_MIX: the next process has the port of the one before, and the reader takes pages of both.
 * -DBROKEN_WAIT: the end of a process is not told.
 * -DBROKEN_LEFT: it is told while pages are on their way.
 * -DBROKEN_KEEP: nobody is asked for a buffer of a former life.
 */
#define BUFFERS 3
#define LAST    5
#define PAGES   2
#define NONE    BUFFERS

byte data[BUFFERS], held[BUFFERS], by[BUFFERS]; /* the number that a buffer holds; what a kept notice says: number, 0: none
                                                   is kept; and process */
bool used[BUFFERS], idle[BUFFERS];              /* taken; by the second process */
chan notice = [BUFFERS] of { byte, byte, byte };
chan done = [BUFFERS] of { byte };
chan unwanted = [1] of { byte };
byte asked = NONE;                              /* the buffer of the second process that its next life wants back */
bool idle_ended = false, idle_wants = false;
byte number = 0, read = 0, copied = 0, restarts = 0, room = BUFFERS, of_reader = 0, of_idle = 0;
byte taking = NONE;
bool gone = false;
byte life = 1, known = 1;   /* of the writer's cluster: its word; what the reader has accepted */
byte owner = 1;             /* the writing process; 0: it has ended */
byte bound = 0, pages = 0;  /* the process that the reader's permission means, 0: the next one; pages read by it */
byte ended = 0;             /* the process that was told of as ended */

#ifdef BROKEN_QUOTA
#define MAY(mine, other) (room > 0)
#else
#define MAY(mine, other) (room > 0 && (mine == 0 || room > (other == 0 -> 1 : 0)))
#endif

#ifdef BROKEN_MIX
#define WANTED(i) (held[i] != 0)
#else
#define WANTED(i) (held[i] != 0 && (bound == 0 || by[i] == bound))
#endif
#define HAS_WANTED (WANTED(0) || WANTED(1) || WANTED(2))

#ifdef BROKEN_LEFT
#define HAS_LEFT (bound != 0 && owner != bound)
#else
#define HAS_LEFT (bound != 0 && owner != bound && len(notice) == 0)
#endif

inline give(to_idle)
{
    b = 0;
    do
    :: used[b] -> b++
    :: else -> break
    od;
    used[b] = true; idle[b] = to_idle; room--
}

inline release(which)
{
    if
    :: used[which] && !idle[which] -> used[which] = false; room++; of_reader--
    :: used[which] && idle[which] && which == asked ->
        used[which] = false; idle[which] = false; room++; of_idle--; asked = NONE
    :: else -> skip
    fi
}

inline clear_data()
{
    data[0] = 0;
    data[1] = 0;
    data[2] = 0
}

/* The writer's cluster starts again; the reader is told before anything of its next life comes. */
inline restart()
{
#ifdef BROKEN_CLEAR
    clear_data();
    life = 0;
#else
    life = 0;
    clear_data();
#endif
    atomic {
        do
        :: len(notice) > 0 -> notice?b, _, _
        :: len(done) > 0 -> done?b
        :: len(unwanted) > 0 -> unwanted?b
        :: len(notice) == 0 && len(done) == 0 && len(unwanted) == 0 -> break
        od;
        b = 0;
        do
        :: b < BUFFERS -> used[b] = false; idle[b] = false; held[b] = 0; by[b] = 0; b++
        :: else -> break
        od;
        life = 2; known = 2; bound = 0; pages = 0; asked = NONE;
        room = BUFFERS; of_reader = 0; of_idle = 0; read = number; gone = (taking != NONE)
    }
}

proctype writer()
{
    byte b;
end:
    do
    :: atomic { number < LAST && owner != 0 && MAY(of_reader, of_idle) -> give(false); of_reader++; number++ }
       data[b] = number;
       notice!b, number, owner
    :: atomic { !idle_ended && MAY(of_idle, of_reader) -> give(true); of_idle++; assert(of_reader > 0 || room > 0) }
    :: atomic { !idle_ended && of_idle > 0 -> idle_ended = true; idle_wants = true }
    :: atomic { idle_wants && MAY(of_idle, of_reader) -> give(true); of_idle++; idle_wants = false }
#ifndef BROKEN_KEEP
    :: atomic { idle_wants && asked == NONE && !MAY(of_idle, of_reader) ->
         b = 0;
         do
         :: used[b] && idle[b] -> break
         :: else -> b++
         od;
         asked = b;
         unwanted!b
       }
#endif
    :: atomic { done?b -> release(b) }
    :: restarts == 0 -> restarts = 1; restart()
    :: restarts == 0 -> restarts = 1; owner = 0; owner = 2
    od
}

proctype reader()
{
    byte b, n, i;
    bool whole;
end:
    do
    :: atomic { notice?b, n, i -> assert(held[b] == 0 && (taking != b || gone || life != known)); held[b] = n; by[b] = i }
    :: atomic { unwanted?b -> done!b }
#ifndef BROKEN_WAIT
    :: atomic { taking == NONE && !HAS_WANTED && HAS_LEFT -> ended = bound; bound = 0; pages = 0 }
#endif
    :: atomic { taking == NONE && HAS_WANTED ->
         b = NONE; i = 0;
         do
         :: i < BUFFERS ->
#ifdef BROKEN_ORDER
              if :: WANTED(i) -> b = i :: WANTED(i) && b != NONE -> skip :: !WANTED(i) -> skip fi;
#else
              if :: WANTED(i) && (b == NONE || held[i] < held[b]) -> b = i :: else -> skip fi;
#endif
              i++
         :: else -> break
         od;
         assert((bound == 0 || by[b] == bound) && by[b] != ended);
         bound = by[b];
         taking = b; n = held[b]; held[b] = 0; by[b] = 0; gone = false; i = 0
       }
#ifdef BROKEN_EARLY
       done!taking;
#endif
       copied = data[taking];
       atomic {
#ifdef BROKEN_ZERO
         whole = !gone;
#else
         whole = !gone && life == known;
#endif
         assert(!whole || (copied == n && n == read + 1));
         if :: whole -> read = n; pages++ :: else -> bound = 0; pages = 0 fi;
         if :: pages == PAGES -> bound = 0; pages = 0 :: else -> skip fi;
#ifndef BROKEN_EARLY
#ifndef BROKEN_GONE
         if :: whole -> done!taking :: else -> skip fi;
#else
         done!taking;
#endif
#endif
         taking = NONE; gone = false; copied = 0; b = 0; n = 0; whole = false
       }
    od
}

init {
    atomic { run writer(); run reader() }
    timeout;
    assert((bound == 0 || bound == owner) && !idle_wants)
}
