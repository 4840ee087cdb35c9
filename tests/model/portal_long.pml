/* SPDX-License-Identifier: MIT */
/*
 * Long transfers (kernel/cluster/portal_long.c, dma.c): the writer's master gives its engine jobs of some pages, tells the
 * reader when one is over, and goes on with other buffers; the reader's side does the same and says done. An engine
 * takes jobs from a ring and sleeps. Side 0 is the writer's, 1 the reader's. Either caller may have to stop at any time:
 * then its pages become somebody else's as soon as its request has ended. Messages keep their order (lane.pml).
 * Claims: what is read is what was written, in order; no engine touches pages that are not pinned, or fills a buffer that
 * was not read; no wake-up of an engine is lost.
 * -DBROKEN_EARLY: the reader is told while the engine still fills the buffers.
 * -DBROKEN_DONE: the reader says done before its engine has copied.
 * -DBROKEN_DROP: a request of a caller that has to stop ends while the engine has its job.
 * -DBROKEN_LOOK: an engine does not look at the ring once more before it sleeps.
 * -DBROKEN_PUT: a master looks whether the engine sleeps before it has put the job.
 */
#define BUFFERS 3
#define PAGES   4
#define JOB     2 /* pages of a job: half of the buffers */

byte box[BUFFERS];                  /* the page that a buffer holds */
bool used[BUFFERS], held[BUFFERS];  /* not free; told of, and not read */
byte job[4], n[2], first[2];        /* of each side's job: buffers (JOB of each side), how many, its first page */
byte put[2], taken[2];
bool busy[2], resting[2], wake[2], pinned[2] = true;
chan notice = [BUFFERS] of { byte, byte };
chan done = [BUFFERS] of { byte };

proctype engine(byte side)
{
    byte i, b;
    do
    :: put[side] != taken[side] ->
         i = 0;
         do
         :: i < n[side] ->
              b = job[JOB * side + i];
              atomic {
                  assert(pinned[side]);
                  if
                  :: side == 0 -> assert(!held[b]); box[b] = first[side] + i
                  :: side == 1 -> assert(held[b] && box[b] == first[side] + i); held[b] = false
                  fi;
                  i++
              }
         :: else -> break
         od;
         assert(pinned[side]);
         taken[side] = taken[side] + 1;
         busy[side] = false
    :: put[side] == taken[side] ->
         resting[side] = true;
         if
#ifndef BROKEN_LOOK
         :: put[side] != taken[side]
#endif
         :: put[side] == taken[side] ->
end:          wake[side] -> wake[side] = false
         fi;
         resting[side] = false
    od
}

inline start(side)
{
    busy[side] = true;
#ifdef BROKEN_PUT
    sleeps = resting[side];
    put[side] = put[side] + 1;
#else
    put[side] = put[side] + 1;
    sleeps = resting[side];
#endif
    if
    :: sleeps -> wake[side] = true
    :: else
    fi
}

/* Until the job is over; `stop`: the caller has to stop meanwhile. */
inline finish(side)
{
    if
    :: !busy[side]
    :: stop = true;
#ifndef BROKEN_DROP
       !busy[side]
#endif
    fi
}

proctype writer()
{
    byte told = 0, i, b;
    bool sleeps, stop = false;
    do
    :: told == PAGES || stop -> break
    :: done?b -> used[b] = false
    :: else ->
         atomic {
             n[0] = 0; i = 0;
             do
             :: i < BUFFERS && n[0] < JOB && told + n[0] < PAGES ->
                  if
                  :: !used[i] -> used[i] = true; job[n[0]] = i; n[0]++
                  :: else
                  fi;
                  i++
             :: else -> break
             od
         }
         if
         :: n[0] == 0 ->
              if
              :: done?b -> used[b] = false
              :: stop = true
              fi
         :: n[0] > 0 ->
              first[0] = told + 1;
              start(0);
#ifndef BROKEN_EARLY
              finish(0);
#endif
              atomic {
                  i = 0;
                  do
                  :: i < n[0] && !stop -> held[job[i]] = true; notice!job[i], told + 1 + i; i++
                  :: i < n[0] && stop -> used[job[i]] = false; i++
                  :: else -> break
                  od
              }
#ifdef BROKEN_EARLY
              finish(0);
#endif
              if
              :: !stop -> told = told + n[0]
              :: else
              fi
         fi
    od;
    pinned[0] = false;
end:
    do
    :: done?b -> used[b] = false
    od
}

proctype reader()
{
    byte read = 0, i, b, number;
    bool sleeps, stop = false;
    do
    :: read == PAGES || stop -> break
    :: else ->
end:     notice?b, number;
         atomic {
             n[1] = 1; job[JOB] = b; first[1] = number;
             assert(number == read + 1);
             if
             :: read + 1 < PAGES && nempty(notice) -> notice?b, number; job[JOB + 1] = b; n[1] = 2
             :: true
             fi
         }
#ifdef BROKEN_DONE
         atomic {
             i = 0;
             do
             :: i < n[1] -> done!job[JOB + i]; i++
             :: else -> break
             od
         }
#endif
         start(1);
         finish(1);
#ifndef BROKEN_DONE
         atomic {
             i = 0;
             do
             :: i < n[1] -> done!job[JOB + i]; i++
             :: else -> break
             od
         }
#endif
         read = read + n[1]
    od;
    pinned[1] = false
}

init { atomic { run engine(0); run engine(1); run writer(); run reader() } }
