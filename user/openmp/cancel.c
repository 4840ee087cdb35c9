/* SPDX-License-Identifier: MIT */
/*
 * cancel.c - `cancel` and `cancellation point` (OpenMP 5.0, 2.18), which do nothing unless OMP_CANCELLATION is true
 * (environment.c).
 *
 * A region: the first thread that cancels it chooses the barrier in which all meet (team.c, end_region()). The others
 * find out at cancellation points and in barriers, which they leave. Tasks of the region that have not begun are
 * dropped.
 *
 * A loop or sections: what is noted is the number of the barrier behind the construct, so the note is out of date by
 * itself when all have passed that barrier. If the runtime divides the loop, it gives out no more chunks.
 *
 * A group of tasks: tasks that have not begun are dropped, others end at their next cancellation point (task.c).
 */
#include "task.h"

enum { PARALLEL = 1, LOOP = 2, SECTIONS = 4, TASKGROUP = 8 }; /* gcc's (gomp-constants.h) */

/* How far another thread's barrier can be ahead of the one that this thread has passed: by 1. The chosen one must be
 * behind that. */
#define AHEAD 2u

bool GOMP_cancel(int which, bool wanted);
bool GOMP_cancellation_point(int which);
int omp_get_cancellation(void);

static struct omp_cancel *cancel_of_team(void)
{
    return omp_self.team.threads > 1 ? &omp_self.words->cancel : &omp_self.cancel;
}

static u32 next_barrier(void) { return 1 + (omp_self.team.threads > 1 ? omp_self.barriers : omp_self.barriers_alone); }

/* The chosen number is odd, so that it is never 0. */
static void cancel_region(void)
{
    struct omp_cancel *c = cancel_of_team();
    volatile u32 *lock = &omp_self.words->tasks.lock;
    omp_take(lock);
    if (!omp_is_cancelled()) {
        c->before = omp_self.team.before;
        c->region = (next_barrier() + AHEAD) | 1;
    }
    omp_drop(lock);
}

static void cancel_work(void)
{
    struct omp_work *w = omp_self.work;
    cancel_of_team()->work = next_barrier();
    if (!w) /* the compiler has divided the loop */
        return;
    if (w != &omp_self.alone)
        omp_take(&w->lock);
    w->schedule |= SCHEDULE_CANCELLED;
    if (w != &omp_self.alone)
        omp_drop(&w->lock);
}

bool GOMP_cancel(int which, bool wanted)
{
    if (!omp_self.cancels)
        return false;
    if (!wanted)
        return GOMP_cancellation_point(which);
    if (which & TASKGROUP)
        omp_group_cancel();
    else if (which & (LOOP | SECTIONS))
        cancel_work();
    else if (omp_self.team.level)
        cancel_region();
    return true;
}

bool GOMP_cancellation_point(int which)
{
    if (!omp_self.cancels)
        return false;
    omp_polled(); /* the application may wait for that */
    if (omp_is_cancelled())
        return true;
    if (which & TASKGROUP)
        return omp_group_is_cancelled();
    return which & (LOOP | SECTIONS) && cancel_of_team()->work == next_barrier();
}

int omp_get_cancellation(void) { return omp_self.cancels; }
