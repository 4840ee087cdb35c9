/* SPDX-License-Identifier: MIT */
/*
 * generic.c - loops and sections with more than iterations: `reduction(task, ...)`, for which the compiler gives a
 * clause (reduction.c), and memory that the team shares until the construct's end, for `scan` and
 * `lastprivate(conditional: ...)`. The schedule is an argument here. When the compiler divides a loop itself, it asks
 * for no chunk.
 */
#include "loop.h"
#include "task.h"

#define MONOTONIC 0x80000000u /* with the schedule; all are monotonic here */

void GOMP_taskgroup_start(void);
bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
                     uintptr_t *clause, void **memory);
bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
                             uintptr_t *clause, void **memory);
bool GOMP_loop_ull_start(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to,
                         uintptr_t *clause, void **memory);
bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to,
                                 uintptr_t *clause, void **memory);
unsigned GOMP_sections2_start(unsigned n, uintptr_t *clause, void **memory);
unsigned GOMP_sections_next(void);
void GOMP_scope_start(uintptr_t *clause);

void omp_work_enter_with(struct omp_work *w, uintptr_t *clause, void **memory)
{
    w->clause = clause;
    w->bytes = memory ? (u32)(uintptr_t)*memory : 0;
    if (clause)
        GOMP_taskgroup_start();
    omp_work_enter(w);
    if (clause)
        omp_clause_register(clause, omp_self.work->copies, omp_self.team.threads);
    if (memory)
        *memory = omp_self.work->memory;
}

struct omp_work omp_loop_scheduled(s64 start, s64 end, s64 step, long schedule, u64 chunk, u32 flags)
{
    u32 kind = (u32)schedule & ~MONOTONIC;
    if (!kind)
        return omp_loop_runtime(start, end, step, flags);
    if (kind == SCHEDULE_AUTO)
        return omp_loop(start, end, step, SCHEDULE_STATIC | flags, 0);
    return omp_loop(start, end, step, kind | flags, chunk);
}

static bool begin(struct omp_work w, long *from, long *to, uintptr_t *clause, void **memory)
{
    omp_work_enter_with(&w, clause, memory);
    return from && omp_loop_next(from, to);
}

bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
                     uintptr_t *clause, void **memory)
{
    return begin(omp_loop_scheduled(start, end, step, schedule, (u64)chunk, 0), from, to, clause, memory);
}

bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
                             uintptr_t *clause, void **memory)
{
    return begin(omp_loop_scheduled(start, end, step, schedule, (u64)chunk, SCHEDULE_ORDERED), from, to, clause,
                 memory);
}

static bool begin_ull(struct omp_work w, u64 trips, ull *from, ull *to, uintptr_t *clause, void **memory)
{
    w.trips = trips;
    omp_work_enter_with(&w, clause, memory);
    return from && omp_loop_next_ull(from, to);
}

bool GOMP_loop_ull_start(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to,
                         uintptr_t *clause, void **memory)
{
    return begin_ull(omp_loop_scheduled((s64)start, (s64)end, (s64)step, schedule, chunk, 0),
                     omp_count(start, end, step, up, false), from, to, clause, memory);
}

bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to,
                                 uintptr_t *clause, void **memory)
{
    return begin_ull(omp_loop_scheduled((s64)start, (s64)end, (s64)step, schedule, chunk, SCHEDULE_ORDERED),
                     omp_count(start, end, step, up, false), from, to, clause, memory);
}

unsigned GOMP_sections2_start(unsigned n, uintptr_t *clause, void **memory)
{
    struct omp_work w = omp_loop(1, (s64)n + 1, 1, SCHEDULE_DYNAMIC, 1);
    omp_work_enter_with(&w, clause, memory);
    return GOMP_sections_next();
}

/* A scope has no call at its end but that of its reductions. */
void GOMP_scope_start(uintptr_t *clause)
{
    struct omp_work w = { 0 };
    omp_work_enter_with(&w, clause, NULL);
    omp_work_leave();
}
