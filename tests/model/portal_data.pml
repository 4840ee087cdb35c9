/* SPDX-License-Identifier: MIT */
/*
 * Portals (kernel/cluster/portal.h): a writer fills buffers and announces them before its reader wants the data; the
 * reader keeps the notices, copies out of a buffer in two steps, and says done. The lane between them is lane.pml's:
 * messages keep their order, and none of an earlier life of the writer comes after its loss was told. A second
 * process of the writer's cluster writes what nobody reads. Numbers of messages grow through all lives of the writer.
 * Claims: what is copied is what was announced, in order; a buffer is announced again only after it was done with; each
 * process always has a buffer, or can have one.
 * -DBROKEN_GONE: a copy that began before the writer was lost says done to its next life.
 * -DBROKEN_EARLY: the reader says done before it has copied.
 * -DBROKEN_ORDER: the reader takes any notice, not the oldest.
 * -DBROKEN_QUOTA: a process takes every buffer that is free.
 */
#define BUFFERS 3
#define LAST    5
#define NONE    BUFFERS

byte data[BUFFERS], held[BUFFERS];   /* the number that a buffer holds; that a notice of it says, 0: none is kept */
bool used[BUFFERS], idle[BUFFERS];   /* taken; by the second process */
chan notice = [BUFFERS] of { byte, byte };
chan done = [BUFFERS] of { byte };
byte number = 0, read = 0, copied = 0, restarts = 0, room = BUFFERS, of_reader = 0, of_idle = 0;
byte taking = NONE;
bool gone = false;

#ifdef BROKEN_QUOTA
#define MAY(mine, other) (room > 0)
#else
#define MAY(mine, other) (room > 0 && (mine == 0 || room > (other == 0 -> 1 : 0)))
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
    :: else -> skip
    fi
}

proctype writer()
{
    byte b;
end:
    do
    :: atomic { number < LAST && MAY(of_reader, of_idle) -> give(false); of_reader++; number++ }
       data[b] = number;
       notice!b, number
    :: atomic { MAY(of_idle, of_reader) -> give(true); of_idle++; assert(of_reader > 0 || room > 0) }
    :: atomic { done?b -> release(b) }
    :: atomic { restarts == 0 -> /* a new life; the reader is told before anything of it comes */
         restarts = 1;
         do
         :: len(notice) > 0 -> notice?b, _
         :: len(done) > 0 -> done?b
         :: len(notice) == 0 && len(done) == 0 -> break
         od;
         b = 0;
         do
         :: b < BUFFERS -> used[b] = false; idle[b] = false; held[b] = 0; b++
         :: else -> break
         od;
         room = BUFFERS; of_reader = 0; of_idle = 0; read = number; gone = (taking != NONE)
       }
    od
}

proctype reader()
{
    byte b, n, i;
end:
    do
    :: atomic { notice?b, n -> assert(held[b] == 0 && (taking != b || gone)); held[b] = n }
    :: atomic { taking == NONE && (held[0] || held[1] || held[2]) ->
         b = NONE; i = 0;
         do
         :: i < BUFFERS ->
#ifdef BROKEN_ORDER
              if :: held[i] -> b = i :: held[i] && b != NONE -> skip :: !held[i] -> skip fi;
#else
              if :: held[i] && (b == NONE || held[i] < held[b]) -> b = i :: else -> skip fi;
#endif
              i++
         :: else -> break
         od;
         taking = b; n = held[b]; held[b] = 0; gone = false; i = 0
       }
#ifdef BROKEN_EARLY
       done!taking;
#endif
       copied = data[taking];
       atomic {
         assert(gone || (copied == n && data[taking] == n && n == read + 1));
         if :: !gone -> read = n :: else -> skip fi;
#ifndef BROKEN_EARLY
#ifndef BROKEN_GONE
         if :: !gone -> done!taking :: else -> skip fi;
#else
         done!taking;
#endif
#endif
         taking = NONE; gone = false; copied = 0; b = 0; n = 0
       }
    od
}

init { atomic { run writer(); run reader() } }
