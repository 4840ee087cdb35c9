/* SPDX-License-Identifier: MIT */
/*
 * work.c - work-sharing constructs: loops of all schedules, sections, single, ordered.
 *
 * All threads of a team reach the same constructs in the same order. Each thread counts them, and the count is the
 * index of an entry in a ring. The first thread that enters a construct describes it there; the last one that leaves
 * frees the entry. With `nowait` a thread may get ahead of another one; when it is WORKS constructs ahead it waits. A
 * team of one has an entry of its own.
 *
 * Chunks are numbered in the order in which they are given out. An ordered region waits until all chunks before its own
 * are done; a thread passes the turn on when it asks for its next chunk.
 */
#include <stdlib.h>

#include "openmp.h"

static void work_lock(struct omp_work *w)
{
    if (w != &omp_self.alone)
        omp_take(&w->lock);
}

static void work_unlock(struct omp_work *w)
{
    if (w != &omp_self.alone)
        omp_drop(&w->lock);
}

/* Fill an entry. Its lock must be held, unless the other threads do not use it yet. */
static void describe(struct omp_work *to, const struct omp_work *w, u32 number, u32 threads)
{
    to->schedule = w->schedule;
    to->trips = w->trips;
    to->next = 0;
    to->chunk = w->chunk;
    to->start = w->start;
    to->step = w->step;
    to->end = w->end;
    to->turn = to->chunks = 0;
    to->copy = NULL;
    to->number = number;
    to->left = threads;
    to->memory = w->bytes ? omp_zeros(CACHE_LINE, w->bytes) : NULL;
    to->copies = w->clause ? omp_clause_copies(w->clause, threads) : NULL;
}

/* Wait until the entry of construct `number` holds it or is free. Returns the entry with its lock held. In a region
 * that was cancelled nobody may ever free it: then this thread does the construct alone, since nobody needs its
 * results. */
static struct omp_work *lock_entry(u32 number)
{
    struct omp_work *entry = &omp_self.words->work[number % WORKS];
    for (struct omp_wait w = { 0 };; omp_relax(&w)) {
        work_lock(entry);
        if (entry->number == number || !entry->left)
            return entry;
        work_unlock(entry);
        if (omp_is_cancelled())
            return &omp_self.alone;
    }
}

bool omp_work_enter(const struct omp_work *w)
{
    struct omp_thread *t = &omp_self;
    bool first = true;
    t->chunk = ~0u;
    t->static_chunks = 0;
    if (t->team.threads == 1) {
        t->work = &t->alone;
        describe(t->work, w, 0, 1);
        return true;
    }
    u32 number = ++t->works;
    t->work = lock_entry(number);
    if (t->work->number == number)
        first = false;
    else
        describe(t->work, w, number, t->team.threads);
    work_unlock(t->work);
    if (t->work->schedule & SCHEDULE_DOACROSS)
        omp_row_enter(number);
    return first;
}

void omp_work_prepare(const struct omp_work *w, unsigned threads)
{
    u32 number = omp_self.works + 1;
    struct omp_work *entry = lock_entry(number);
    describe(entry, w, number, threads);
    work_unlock(entry);
}

/* This thread's chunk is done: wait for its turn, then pass the turn to the next chunk. */
static void pass_turn(void)
{
    struct omp_thread *t = &omp_self;
    if (t->chunk == ~0u || !(t->work->schedule & SCHEDULE_ORDERED))
        return;
    omp_await(t->work->turn == t->chunk || omp_is_cancelled());
    omp_release();
    t->work->turn = t->chunk + 1;
    t->chunk = ~0u;
}

/* The copies belong to the threads now, the memory to nobody. */
void omp_work_leave(void)
{
    struct omp_work *w = omp_self.work;
    void *memory = NULL;
    pass_turn();
    if (w->schedule & SCHEDULE_DOACROSS)
        omp_row_leave();
    work_lock(w);
    if (!--w->left) {
        memory = w->memory;
        w->memory = w->copies = NULL;
    }
    work_unlock(w);
    if (memory)
        free(memory);
    omp_self.work = NULL;
}

void omp_work_reset(void)
{
    for (u32 i = 0; i < WORKS; i++) {
        struct omp_work *w = &omp_self.words->work[i];
        free(w->memory);
        free(w->copies);
        w->memory = w->copies = NULL;
        w->left = w->number = 0;
    }
}

/* Get this thread's next chunk of a static schedule. Without a chunk size there is one chunk for each thread, and their
 * sizes differ by at most one iteration. */
static bool next_static(u64 *from, u64 *to)
{
    struct omp_thread *t = &omp_self;
    const struct omp_work *w = t->work;
    u32 n = t->team.threads, own = t->team.number, chunk = t->static_chunks++ * n + own;
    if (w->chunk) {
        *from = chunk * w->chunk;
        *to = *from + w->chunk;
    } else {
        u64 size = w->trips / n, more = w->trips % n;
        *from = own * size + (own < more ? own : more);
        *to = *from + size + (own < more);
    }
    if (*to > w->trips)
        *to = w->trips;
    if (*from >= *to || (!w->chunk && t->static_chunks > 1))
        return false;
    t->chunk = chunk;
    return true;
}

static u64 size_of(const struct omp_work *w, u64 left)
{
    u64 size = w->chunk;
    if ((w->schedule & SCHEDULES) == SCHEDULE_GUIDED) {
        u64 part = (left + omp_self.team.threads - 1) / omp_self.team.threads;
        size = part > size ? part : size;
    }
    return size < left ? size : left;
}

bool omp_work_next(u64 *from, u64 *to)
{
    struct omp_thread *t = &omp_self;
    struct omp_work *w = t->work;
    bool rows = w->schedule & SCHEDULE_DOACROSS;
    pass_turn();
    if (rows)
        omp_row_done();
    if (w->schedule & SCHEDULE_CANCELLED)
        return false;
    if ((w->schedule & SCHEDULES) == SCHEDULE_STATIC) {
        bool found = next_static(from, to);
        if (rows && found)
            omp_row_chunk(*from, *to);
        return found;
    }
    work_lock(w);
    u64 left = w->trips - w->next;
    if (left) {
        *from = w->next;
        w->next += size_of(w, left);
        *to = w->next;
        t->chunk = w->chunks++;
        if (rows)
            omp_row_chunk(*from, *to);
    }
    work_unlock(w);
    return left != 0;
}

void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);

void GOMP_ordered_start(void)
{
    const struct omp_work *w = omp_self.work;
    omp_await(w->turn == omp_self.chunk || omp_is_cancelled());
    omp_acquire();
}

void GOMP_ordered_end(void) { omp_release(); }

static const struct omp_work nothing;

bool GOMP_single_start(void)
{
    bool first = omp_work_enter(&nothing);
    omp_work_leave();
    return first;
}

/* Returns NULL in the first thread, which does the work and stores where its results are; the others wait and get that
 * pointer. The compiler puts a barrier after the copies, so the results stay until all threads have copied them. */
void *GOMP_single_copy_start(void)
{
    if (omp_work_enter(&nothing))
        return NULL;
    omp_barrier();
    const struct omp_work *w = omp_self.work;
    omp_await(w->copy); /* the barrier was cut short */
    void *copy = w->copy;
    omp_work_leave();
    return copy;
}

void GOMP_single_copy_end(void *data)
{
    omp_self.work->copy = data;
    omp_barrier();
    omp_work_leave();
}
