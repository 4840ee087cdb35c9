/* SPDX-License-Identifier: MIT */
/*
 * team.c - parallel regions. Thread 0 describes the region in struct omp_fork and rings the others; all run it, and
 * meet in a barrier at the end. The barrier is a dissemination (Hensgen, Finkel and Manber, 1988): in round k a thread
 * stores the barrier's number in a word of its own and waits for the word of the thread 2^k places before it. The
 * numbers only grow, so teams of different sizes can use the same words. A thread may leave a barrier late, when a team
 * without it has gone on, so a larger number is as good. Words of threads that were not in the last team are brought
 * near its numbers before they are in one again. A thread enters the barrier when no task is left, and runs tasks that
 * others make while it waits.
 */
#include "task.h"

/* Wait in barrier `number` for all threads of the team. `whole`: also if the region was cancelled. */
static void meet(u32 number, bool whole)
{
    struct omp_thread *t = &omp_self;
    u32 n = t->team.threads, own = t->team.number;
    struct omp_word(*round)[THREADS] = t->words->arrived[number % 2];
    omp_await_with_tasks(!t->words->tasks.unfinished || (!whole && omp_is_cancelled()));
    omp_release();
    for (u32 step = 1; step < n; step *= 2, round++) {
        (*round)[own].word = number;
        const volatile u32 *other = &(*round)[own < step ? own + n - step : own - step].word;
        omp_await_with_tasks((s32)(*other - number) >= 0 || (!whole && omp_is_cancelled()));
    }
    omp_acquire();
}

bool omp_barrier(void)
{
    struct omp_thread *t = &omp_self;
    if (t->team.threads == 1) {
        t->barriers_alone++;
        omp_tasks_finish();
        omp_release();
        omp_acquire();
    } else if (!omp_is_cancelled()) {
        meet(++t->barriers, false);
    }
    return omp_is_cancelled();
}

/* The barrier at the end of a region. If it was cancelled, all go on to the barrier that cancel.c has chosen: its
 * number is larger than that of any barrier in which a thread of this region can be. Who sees that a thread has come
 * there takes it as having come to a smaller one, and then finds that the region was cancelled. */
static void end_region(void)
{
    struct omp_thread *t = &omp_self;
    if (!omp_barrier())
        return;
    t->barriers = t->words->cancel.region;
    meet(t->barriers, true);
    if (!t->id) {
        t->words->cancel.region = 0;
        omp_work_reset();
    }
}

/* Run this thread's part of a region. `with_work`: it is a combined construct, which `work` describes; NULL: it is
 * prepared. */
static void take_part(void (*fn)(void *), void *data, struct omp_team team, bool with_work, const struct omp_work *work)
{
    struct omp_thread *t = &omp_self;
    struct omp_team outer = t->team;
    struct omp_work *outer_work = t->work;
    u32 chunk = t->chunk, static_chunks = t->static_chunks;
    struct omp_group region = { .reductions = team.clause };
    struct omp_task implicit = { .group = team.clause ? &region : NULL }, *task = t->task;
    t->task = &implicit;
    t->team = team;
    if (with_work)
        omp_work_enter(work);
    fn(data);
    if (team.threads > 1)
        end_region();
    else
        omp_tasks_finish();
    t->team = outer;
    t->work = outer_work;
    t->task = task;
    t->chunk = chunk;
    t->static_chunks = static_chunks;
}

/* Run a region in a team of one, because it lies inside another one or asks for one thread. */
static void run_alone(void (*fn)(void *), void *data, const struct omp_work *work, uintptr_t *clause)
{
    struct omp_thread *t = &omp_self;
    struct omp_work alone = t->alone;
    struct omp_nest nest = t->nest;
    struct omp_cancel cancel = t->cancel;
    t->cancel.region = 0;
    take_part(fn, data, (struct omp_team){ 1, 0, t->team.level + 1, t->team.active, clause, 0 }, work != NULL, work);
    t->alone = alone;
    t->nest = nest;
    t->cancel = cancel;
}

unsigned omp_team_size(unsigned threads)
{
    const struct omp_thread *t = &omp_self;
    u32 n = threads ? threads : t->default_threads;
    return t->team.active || t->id || n < 2 ? 1 : n < t->all ? n : t->all;
}

/* Let the words of threads [from, to), which do nothing now, say that they have come to the last barrier. */
static void catch_up(u32 from, u32 to)
{
    struct omp_thread *t = &omp_self;
    for (u32 set = 0; set < 2; set++)
        for (u32 round = 0; round < ROUNDS; round++)
            for (u32 i = from; i < to; i++)
                t->words->arrived[set][round][i].word = t->barriers;
}

void omp_parallel(void (*fn)(void *), void *data, unsigned threads, const struct omp_work *work)
{
    omp_parallel_reducing(fn, data, omp_team_size(threads), work, NULL);
}

void omp_parallel_reducing(void (*fn)(void *), void *data, unsigned n, const struct omp_work *work, uintptr_t *clause)
{
    struct omp_thread *t = &omp_self;
    struct omp_fork *f = &t->words->fork;
    /* The variables that a region's threads share lie at the end of the caller's stack, and the other threads read that
     * line. Leave room, so that this thread's calls in the region do not write to the same line. */
    void *apart = __builtin_alloca(2 * CACHE_LINE);
    __asm__ volatile("" ::"r"(apart));
    if (n == 1) {
        run_alone(fn, data, work, clause);
        return;
    }
    u32 level = t->team.level + 1;
    if (f->threads) /* else all words are at the first barrier's begin */
        catch_up(f->threads, n);
    *f = (struct omp_fork){ .fn = fn,
                            .data = data,
                            .threads = n,
                            .level = level,
                            .barriers = t->barriers,
                            .works = t->works,
                            .schedule = t->schedule,
                            .chunk = t->schedule_chunk,
                            .default_threads = t->default_threads,
                            .with_work = work != NULL,
                            .cancels = t->cancels,
                            .clause = clause };
    if (work)
        omp_work_prepare(work, n);
    omp_release();
    for (u32 i = 1; i < n; i++)
        t->words->go[i].word = ++t->regions[i];
    take_part(fn, data, (struct omp_team){ n, 0, level, level, clause, t->barriers }, work != NULL, NULL);
}

void omp_worker(void)
{
    struct omp_thread *t = &omp_self;
    const struct omp_fork *f = &t->words->fork;
    const volatile u32 *go = &t->words->go[t->id].word;
    for (u32 region = 1;; region++) {
        omp_await(*go == region);
        omp_acquire();
        t->barriers = f->barriers;
        t->works = f->works;
        t->schedule = f->schedule;
        t->schedule_chunk = f->chunk;
        t->default_threads = f->default_threads;
        t->cancels = f->cancels;
        take_part(f->fn, f->data, (struct omp_team){ f->threads, t->id, f->level, f->level, f->clause, f->barriers },
                  f->with_work, NULL);
    }
}

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void);

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags; /* proc_bind has no effect: each thread has a core of its own */
    omp_parallel(fn, data, threads, NULL);
}

void GOMP_barrier(void) { omp_barrier(); }
bool GOMP_barrier_cancel(void) { return omp_barrier(); }
