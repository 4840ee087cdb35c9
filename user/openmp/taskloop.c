/* SPDX-License-Identifier: MIT */
/*
 * taskloop.c - GOMP_taskloop: a loop whose iterations are divided among tasks, which end before the thread that made
 * them goes on, unless `nogroup` is there.
 */
#include "loop.h"
#include "task.h"

#define UP        256u /* gcc's flags (gomp-constants.h) */
#define GRAINSIZE 512u
#define IF        1024u
#define NOGROUP   2048u
#define REDUCTION 4096u

void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);
void GOMP_taskloop(omp_function *fn, void *data, omp_copier *copy, long size, long align, unsigned flags,
                   unsigned long n, int priority, long first, long end_, long step);
void GOMP_taskloop_ull(omp_function *fn, void *data, omp_copier *copy, long size, long align, unsigned flags,
                       unsigned long n, int priority, ull first, ull end_, ull step);

/* Returns into how many tasks `trips` iterations are divided. */
static u64 count_tasks(u64 trips, unsigned flags, unsigned long n)
{
    u64 tasks = flags & GRAINSIZE ? (n ? trips / n : trips) : n ? n : omp_self.team.threads;
    return tasks > trips ? trips : tasks ? tasks : 1;
}

/* Start a taskloop, in a group of its own unless NOGROUP is set. With a reduction its data have the clause behind the
 * loop's two values. */
static void begin_loop(unsigned flags, void *clause)
{
    if (!(flags & NOGROUP))
        GOMP_taskgroup_start();
    if (flags & REDUCTION)
        GOMP_taskgroup_reduction_register(*(uintptr_t **)clause);
}

static void end_loop(unsigned flags)
{
    if (!(flags & NOGROUP))
        GOMP_taskgroup_end();
}

/* A task's data begin with the first value of its loop and the value behind the last. */
#define TASKLOOP(name, type, wide, is_signed)                                                                          \
    void name(omp_function *fn, void *data, omp_copier *copy, long size, long align, unsigned flags, unsigned long n,  \
              int priority, type first, type end_, type step)                                                          \
    {                                                                                                                  \
        bool up = is_signed ? (s64)step > 0 : (flags & UP) != 0;                                                       \
        u64 trips = omp_count((u64)(wide)first, (u64)(wide)end_, (u64)(wide)step, up, is_signed), from = 0;            \
        u64 tasks = trips ? count_tasks(trips, flags, n) : 0;                                                          \
        (void)priority;                                                                                                \
        begin_loop(flags, (type *)data + 2);                                                                           \
        for (u64 i = 0; i < tasks; i++) {                                                                              \
            u64 to = from + trips / tasks + (i < trips % tasks);                                                       \
            struct omp_task *t = omp_task_create(fn, data, copy, size, align, flags & FINAL, NULL);                    \
            ((type *)t->data)[0] = (type)(first + (type)from * step);                                                  \
            ((type *)t->data)[1] = to == trips ? end_ : (type)(first + (type)to * step);                               \
            from = to;                                                                                                 \
            omp_task_start(t, !(flags & IF));                                                                          \
        }                                                                                                              \
        end_loop(flags);                                                                                               \
    }

TASKLOOP(GOMP_taskloop, long, s64, true)
TASKLOOP(GOMP_taskloop_ull, ull, u64, false)
