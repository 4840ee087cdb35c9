/* SPDX-License-Identifier: MIT */
/*
 * doacross.c - `ordered(n)`: loops whose iterations wait for earlier ones (`depend(sink: ...)`) and say that they are
 * done (`depend(source)`). The outermost loop is divided as any loop; an iteration has a number, counted over all n
 * loops.
 *
 * Each thread has a row (struct omp_row): the number behind the last iteration that it said to be done, and its chunk.
 * Its chunks come in order, so all its iterations before that number are done. Who waits finds out whose chunk the
 * iteration is in, and waits for that thread's row. A static schedule tells by arithmetic. Otherwise the rows tell,
 * under the construct's lock: an iteration that was given out and is in nobody's chunk is done.
 *
 * A row also says which construct it is about, because with `nowait` its thread may be in an earlier or a later one.
 */
#include <stdarg.h>

#include "loop.h"

#define ALL ~0u

/* Returns how many iterations one of the outermost loop contains. */
static u32 iterations_of_one(void)
{
    u32 n = 1;
    for (u32 i = 1; i < omp_self.nest.dims; i++)
        n *= omp_self.nest.trips[i];
    return n;
}

void omp_row_enter(u32 number)
{
    struct omp_row *r = &omp_self.words->row[omp_self.id];
    r->posted = r->from = r->to = 0;
    r->number = number;
}

void omp_row_chunk(u64 from, u64 to)
{
    struct omp_row *r = &omp_self.words->row[omp_self.id];
    if (omp_self.team.threads == 1)
        return;
    r->from = (u32)from;
    r->to = (u32)to;
}

static void post(u32 before)
{
    omp_release();
    omp_self.words->row[omp_self.id].posted = before;
}

void omp_row_done(void)
{
    if (omp_self.team.threads > 1)
        post(omp_self.words->row[omp_self.id].to * iterations_of_one());
}

void omp_row_leave(void)
{
    if (omp_self.team.threads > 1)
        post(ALL);
}

/* Returns the thread that has iteration `outer` of a static schedule (work.c, next_static()). */
static u32 static_owner(const struct omp_work *w, u32 outer)
{
    u32 n = omp_self.team.threads, size = (u32)w->trips / n, more = (u32)w->trips % n;
    if (w->chunk)
        return (u32)(outer / w->chunk % n);
    return outer < more * (size + 1) ? outer / (size + 1) : more + (outer - more * (size + 1)) / size;
}

/* Find the thread that has iteration `outer` in its chunk; THREADS: it is done. Returns false if it was not given out
 * yet. */
static bool find_owner(struct omp_work *w, u32 outer, u32 *owner)
{
    const struct omp_row *row = omp_self.words->row;
    omp_take(&w->lock);
    bool given = outer < w->next;
    u32 i = 0, n = given ? omp_self.team.threads : 0;
    while (i < n && !(row[i].number == w->number && outer >= row[i].from && outer < row[i].to))
        i++;
    *owner = i < n ? i : THREADS;
    omp_drop(&w->lock);
    return given;
}

static bool is_done(const struct omp_row *r, u32 number, u32 iteration)
{
    u32 ahead = r->number - number; /* a row of long ago is farther away */
    return ahead ? ahead <= WORKS : r->posted > iteration;
}

static void wait_for(u32 iteration)
{
    struct omp_work *w = omp_self.work;
    u32 outer = iteration / iterations_of_one(), owner;
    if ((w->schedule & SCHEDULES) == SCHEDULE_STATIC)
        owner = static_owner(w, outer);
    else
        omp_await(find_owner(w, outer, &owner) || omp_is_cancelled());
    if (owner != THREADS && owner != omp_self.id)
        omp_await(is_done(&omp_self.words->row[owner], w->number, iteration) || omp_is_cancelled());
    omp_acquire();
}

/* Enter a loop of `counts[0]` iterations, each with counts[1] * ... inner ones. */
static void enter(u32 dims, const u64 *counts, struct omp_work w, uintptr_t *clause, void **memory)
{
    u64 all = 1;
    bool large = dims > DIMS;
    for (u32 i = 0; i < dims && !large; i++) {
        large = counts[i] >= ALL || (all *= counts[i]) >= ALL;
        omp_self.nest.trips[i] = (u32)counts[i];
    }
    if (large)
        omp_fail("ordered(n) of more than 8 loops, or of 2^32 iterations or more");
    omp_self.nest.dims = dims;
    omp_work_enter_with(&w, clause, memory);
}

/* Define the functions for loops that count in `type`; `name` is in their names, behind "loop_" and "doacross_". */
#define DOACROSS(type, name, next)                                                                                     \
    static void begin_##next(u32 dims, const type *counts, struct omp_work w, uintptr_t *clause, void **memory)        \
    {                                                                                                                  \
        u64 wide[DIMS];                                                                                                \
        for (u32 i = 0; i < dims && i < DIMS; i++)                                                                     \
            wide[i] = (u64)counts[i];                                                                                  \
        enter(dims, wide, w, clause, memory);                                                                          \
    }                                                                                                                  \
    bool GOMP_loop_##name##doacross_start(unsigned dims, type *counts, long schedule, type chunk, type *from,          \
                                          type *to, uintptr_t *clause, void **memory);                                 \
    bool GOMP_loop_##name##doacross_start(unsigned dims, type *counts, long schedule, type chunk, type *from,          \
                                          type *to, uintptr_t *clause, void **memory)                                  \
    {                                                                                                                  \
        begin_##next(dims, counts, omp_loop_scheduled(0, (s64)counts[0], 1, schedule, (u64)chunk, SCHEDULE_DOACROSS),  \
                     clause, memory);                                                                                  \
        return from && next(from, to);                                                                                 \
    }                                                                                                                  \
    bool GOMP_loop_##name##doacross_static_start(unsigned dims, type *counts, type chunk, type *from, type *to);       \
    bool GOMP_loop_##name##doacross_static_start(unsigned dims, type *counts, type chunk, type *from, type *to)        \
    {                                                                                                                  \
        return GOMP_loop_##name##doacross_start(dims, counts, SCHEDULE_STATIC, chunk, from, to, NULL, NULL);           \
    }                                                                                                                  \
    bool GOMP_loop_##name##doacross_dynamic_start(unsigned dims, type *counts, type chunk, type *from, type *to);      \
    bool GOMP_loop_##name##doacross_dynamic_start(unsigned dims, type *counts, type chunk, type *from, type *to)       \
    {                                                                                                                  \
        return GOMP_loop_##name##doacross_start(dims, counts, SCHEDULE_DYNAMIC, chunk, from, to, NULL, NULL);          \
    }                                                                                                                  \
    bool GOMP_loop_##name##doacross_guided_start(unsigned dims, type *counts, type chunk, type *from, type *to);       \
    bool GOMP_loop_##name##doacross_guided_start(unsigned dims, type *counts, type chunk, type *from, type *to)        \
    {                                                                                                                  \
        return GOMP_loop_##name##doacross_start(dims, counts, SCHEDULE_GUIDED, chunk, from, to, NULL, NULL);           \
    }                                                                                                                  \
    bool GOMP_loop_##name##doacross_runtime_start(unsigned dims, type *counts, type *from, type *to);                  \
    bool GOMP_loop_##name##doacross_runtime_start(unsigned dims, type *counts, type *from, type *to)                   \
    {                                                                                                                  \
        return GOMP_loop_##name##doacross_start(dims, counts, 0, 0, from, to, NULL, NULL);                             \
    }                                                                                                                  \
    void GOMP_doacross_##name##post(const type *at);                                                                   \
    void GOMP_doacross_##name##post(const type *at)                                                                    \
    {                                                                                                                  \
        u32 iteration = 0;                                                                                             \
        for (u32 i = 0; i < omp_self.nest.dims; i++)                                                                   \
            iteration = iteration * omp_self.nest.trips[i] + (u32)at[i];                                               \
        if (omp_self.team.threads > 1)                                                                                 \
            post(iteration + 1);                                                                                       \
    }                                                                                                                  \
    void GOMP_doacross_##name##wait(type first, ...);                                                                  \
    void GOMP_doacross_##name##wait(type first, ...)                                                                   \
    {                                                                                                                  \
        va_list more;                                                                                                  \
        u32 iteration = (u32)first;                                                                                    \
        va_start(more, first);                                                                                         \
        for (u32 i = 1; i < omp_self.nest.dims; i++)                                                                   \
            iteration = iteration * omp_self.nest.trips[i] + (u32)va_arg(more, type);                                  \
        va_end(more);                                                                                                  \
        if (omp_self.team.threads > 1)                                                                                 \
            wait_for(iteration);                                                                                       \
    }

DOACROSS(long, , omp_loop_next)
DOACROSS(ull, ull_, omp_loop_next_ull)
