/* SPDX-License-Identifier: MIT */
/*
 * loop.c - GOMP_loop_* for loops over long and unsigned long long, GOMP_sections_*, and GOMP_parallel_* for both as a
 * whole region. The functions' names say the schedule; `nonmonotonic` is only a permission, which is not used.
 */
#include "loop.h"

u64 omp_count(u64 start, u64 end, u64 step, bool up, bool is_signed)
{
    bool none = is_signed ? (up ? (s64)start >= (s64)end : (s64)start <= (s64)end) : (up ? start >= end : start <= end);
    if (none)
        return 0;
    return up ? (end - start + step - 1) / step : (start - end + (0 - step) - 1) / (0 - step);
}

struct omp_work omp_loop(s64 start, s64 end, s64 step, u32 schedule, u64 chunk)
{
    return (struct omp_work){ .schedule = schedule,
                              .chunk = chunk || (schedule & SCHEDULES) == SCHEDULE_STATIC ? chunk : 1,
                              .start = start,
                              .end = end,
                              .step = step,
                              .trips = omp_count((u64)start, (u64)end, (u64)step, step > 0, true) };
}

struct omp_work omp_loop_runtime(s64 start, s64 end, s64 step, u32 ordered)
{
    u32 schedule = omp_self.schedule == SCHEDULE_AUTO ? SCHEDULE_STATIC : omp_self.schedule;
    return omp_loop(start, end, step, schedule | ordered, omp_self.schedule_chunk);
}

/* Get the next chunk, as values of the loop's variable; the last one ends where the loop does. */
static bool next(s64 *from, s64 *to)
{
    const struct omp_work *w = omp_self.work;
    u64 first, end;
    if (!omp_work_next(&first, &end))
        return false;
    *from = (s64)((u64)w->start + first * (u64)w->step);
    *to = end == w->trips ? w->end : (s64)((u64)w->start + end * (u64)w->step);
    return true;
}

bool omp_loop_next(long *from, long *to)
{
    s64 first, end;
    if (!next(&first, &end))
        return false;
    *from = (long)first;
    *to = (long)end;
    return true;
}

static bool begin_long(const struct omp_work *w, long *from, long *to)
{
    omp_work_enter(w);
    return omp_loop_next(from, to);
}

bool omp_loop_next_ull(ull *from, ull *to)
{
    s64 first, end;
    if (!next(&first, &end))
        return false;
    *from = (ull)first;
    *to = (ull)end;
    return true;
}

static bool begin_ull(bool up, ull start, ull end, ull step, u32 schedule, ull chunk, ull *from, ull *to)
{
    struct omp_work w = omp_loop((s64)start, (s64)end, (s64)step, schedule, chunk);
    w.trips = omp_count(start, end, step, up, false);
    omp_work_enter(&w);
    return omp_loop_next_ull(from, to);
}

/* Define the functions of one schedule: start, next, and a whole region. */
#define LOOPS(name, schedule)                                                                                          \
    bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from, long *to);                  \
    bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from, long *to)                   \
    {                                                                                                                  \
        struct omp_work w = omp_loop(start, end, step, schedule, (u64)chunk);                                          \
        return begin_long(&w, from, to);                                                                               \
    }                                                                                                                  \
    bool GOMP_loop_##name##_next(long *from, long *to);                                                                \
    bool GOMP_loop_##name##_next(long *from, long *to) { return omp_loop_next(from, to); }                             \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull chunk, ull *from, ull *to);           \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull chunk, ull *from, ull *to)            \
    {                                                                                                                  \
        return begin_ull(up, start, end, step, schedule, chunk, from, to);                                             \
    }                                                                                                                  \
    bool GOMP_loop_ull_##name##_next(ull *from, ull *to);                                                              \
    bool GOMP_loop_ull_##name##_next(ull *from, ull *to) { return omp_loop_next_ull(from, to); }

#define REGION(name, schedule)                                                                                         \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,  \
                                   long chunk, unsigned flags);                                                        \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,  \
                                   long chunk, unsigned flags)                                                         \
    {                                                                                                                  \
        struct omp_work w = omp_loop(start, end, step, schedule, (u64)chunk);                                          \
        (void)flags;                                                                                                   \
        omp_parallel(fn, data, threads, &w);                                                                           \
    }

#define RUNTIME(name, ordered)                                                                                         \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to);                              \
    bool GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to)                               \
    {                                                                                                                  \
        struct omp_work w = omp_loop_runtime(start, end, step, ordered);                                               \
        return begin_long(&w, from, to);                                                                               \
    }                                                                                                                  \
    bool GOMP_loop_##name##_next(long *from, long *to);                                                                \
    bool GOMP_loop_##name##_next(long *from, long *to) { return omp_loop_next(from, to); }                             \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull *from, ull *to);                      \
    bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull *from, ull *to)                       \
    {                                                                                                                  \
        struct omp_work w = omp_loop_runtime(0, 0, 1, ordered);                                                        \
        return begin_ull(up, start, end, step, w.schedule, w.chunk, from, to);                                         \
    }                                                                                                                  \
    bool GOMP_loop_ull_##name##_next(ull *from, ull *to);                                                              \
    bool GOMP_loop_ull_##name##_next(ull *from, ull *to) { return omp_loop_next_ull(from, to); }

#define REGION_RUNTIME(name)                                                                                           \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,  \
                                   unsigned flags);                                                                    \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,  \
                                   unsigned flags)                                                                     \
    {                                                                                                                  \
        struct omp_work w = omp_loop_runtime(start, end, step, 0);                                                     \
        (void)flags;                                                                                                   \
        omp_parallel(fn, data, threads, &w);                                                                           \
    }

LOOPS(static, SCHEDULE_STATIC)
LOOPS(dynamic, SCHEDULE_DYNAMIC)
LOOPS(guided, SCHEDULE_GUIDED)
LOOPS(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
LOOPS(nonmonotonic_guided, SCHEDULE_GUIDED)
LOOPS(ordered_static, SCHEDULE_STATIC | SCHEDULE_ORDERED)
LOOPS(ordered_dynamic, SCHEDULE_DYNAMIC | SCHEDULE_ORDERED)
LOOPS(ordered_guided, SCHEDULE_GUIDED | SCHEDULE_ORDERED)
RUNTIME(runtime, 0)
RUNTIME(nonmonotonic_runtime, 0)
RUNTIME(maybe_nonmonotonic_runtime, 0)
RUNTIME(ordered_runtime, SCHEDULE_ORDERED)
REGION(static, SCHEDULE_STATIC)
REGION(dynamic, SCHEDULE_DYNAMIC)
REGION(guided, SCHEDULE_GUIDED)
REGION(nonmonotonic_dynamic, SCHEDULE_DYNAMIC)
REGION(nonmonotonic_guided, SCHEDULE_GUIDED)
REGION_RUNTIME(runtime)
REGION_RUNTIME(nonmonotonic_runtime)
REGION_RUNTIME(maybe_nonmonotonic_runtime)

void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
bool GOMP_loop_end_cancel(void);
unsigned GOMP_sections_start(unsigned n);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
bool GOMP_sections_end_cancel(void);
void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned n, unsigned flags);

void GOMP_loop_end_nowait(void) { omp_work_leave(); }

void GOMP_loop_end(void)
{
    omp_work_leave();
    omp_barrier();
}

bool GOMP_loop_end_cancel(void)
{
    omp_work_leave();
    return omp_barrier();
}

/* Sections are a loop that begins at 1. Returns 0 if there is none left. */
unsigned GOMP_sections_next(void)
{
    long from, to;
    return omp_loop_next(&from, &to) ? (unsigned)from : 0;
}

unsigned GOMP_sections_start(unsigned n)
{
    struct omp_work w = omp_loop(1, (s64)n + 1, 1, SCHEDULE_DYNAMIC, 1);
    omp_work_enter(&w);
    return GOMP_sections_next();
}

void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned n, unsigned flags)
{
    struct omp_work w = omp_loop(1, (s64)n + 1, 1, SCHEDULE_DYNAMIC, 1);
    (void)flags;
    omp_parallel(fn, data, threads, &w);
}

void GOMP_sections_end(void) { GOMP_loop_end(); }
void GOMP_sections_end_nowait(void) { omp_work_leave(); }
bool GOMP_sections_end_cancel(void) { return GOMP_loop_end_cancel(); }
