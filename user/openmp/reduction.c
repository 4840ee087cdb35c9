/* SPDX-License-Identifier: MIT */
/*
 * reduction.c - reductions of tasks: `task_reduction` of a taskgroup, `in_reduction` of a task, `reduction` of a
 * taskloop, `reduction(task, ...)` of a region or a work-sharing construct (generic.c). Each thread has a copy of all
 * variables of a clause; the compiler's code initializes a copy when a task first uses it, and adds the copies up
 * behind the group.
 *
 * The compiler describes a clause in an array of words. It fills in the number of variables, the size of one thread's
 * copies, their alignment, and for each variable three words: its address, its place in the copies, one of its own. The
 * runtime writes where the copies begin in place of the alignment, and where they end.
 */
#include <stdlib.h>
#include <string.h>

#include "task.h"

enum { VARIABLES, SIZE, COPIES, NEXT = 4, END = 6, FIRST = 7, WORDS_OF_ONE = 3 };

void GOMP_taskgroup_end(void);
void GOMP_taskgroup_reduction_register(uintptr_t *clause);
void GOMP_taskgroup_reduction_unregister(uintptr_t *clause);
void GOMP_task_reduction_remap(size_t n, size_t n_original, void **at);
unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_workshare_task_reduction_unregister(bool cancelled);

void *omp_zeros(size_t align, size_t bytes)
{
    align = align > CACHE_LINE ? align : CACHE_LINE;
    void *made = aligned_alloc(align, (bytes + align - 1) & ~(align - 1));
    if (!made)
        omp_fail("no memory for a reduction");
    return memset(made, 0, bytes);
}

void *omp_clause_copies(const uintptr_t *clause, u32 threads)
{
    return omp_zeros(clause[COPIES], clause[SIZE] * threads);
}

/* Note in a clause where its copies are. */
static void place_copies(uintptr_t *clause, void *copies, u32 threads, uintptr_t *next)
{
    clause[COPIES] = (uintptr_t)copies;
    clause[END] = (uintptr_t)copies + clause[SIZE] * threads;
    clause[NEXT] = (uintptr_t)next;
}

void omp_clause_register(uintptr_t *clause, void *copies, u32 threads)
{
    struct omp_group *g = omp_self.task->group;
    place_copies(clause, copies, threads, g->reductions);
    g->reductions = clause;
}

void GOMP_taskgroup_reduction_register(uintptr_t *clause)
{
    u32 threads = omp_self.team.threads;
    omp_clause_register(clause, omp_clause_copies(clause, threads), threads);
}

/* The compiler's data begin with the clause. Returns for how many threads it has copies. */
unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
    uintptr_t *clause = *(uintptr_t **)data;
    u32 n = omp_team_size(threads);
    (void)flags;
    place_copies(clause, omp_clause_copies(clause, n), n, NULL);
    omp_parallel_reducing(fn, data, n, NULL, clause);
    return n;
}

/* The construct is over, and thread 0 has added its copies up. `cancelled`: the region was cancelled, and
 * omp_work_reset() frees the copies. */
void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    struct omp_group *g = omp_self.task->group;
    uintptr_t *clause = g->reductions;
    if (!cancelled)
        omp_barrier();
    GOMP_taskgroup_end(); /* no task is left if there was a barrier */
    if (!cancelled && !omp_self.team.number)
        free((void *)clause[COPIES]);
}

void GOMP_taskgroup_reduction_unregister(uintptr_t *clause) { free((void *)clause[COPIES]); }

/* Returns the variable of a clause at `at`, its own or a thread's copy; 0: it has none there. */
static uintptr_t *find_in(uintptr_t *clause, uintptr_t at)
{
    bool copied = at >= clause[COPIES] && at < clause[END];
    for (uintptr_t i = 0; i < clause[VARIABLES]; i++) {
        uintptr_t *variable = &clause[FIRST + i * WORDS_OF_ONE];
        if (copied ? variable[1] == (at - clause[COPIES]) % clause[SIZE] : variable[0] == at)
            return variable;
    }
    return NULL;
}

/* Returns this thread's copy of the variable at `at`, from the innermost group that reduces it. */
static void *find_copy(uintptr_t at, void **original)
{
    for (struct omp_group *g = omp_self.task->group; g; g = g->outer)
        for (uintptr_t *clause = g->reductions; clause; clause = (uintptr_t *)clause[NEXT]) {
            uintptr_t *variable = find_in(clause, at);
            if (!variable)
                continue;
            *original = (void *)variable[0];
            return (char *)clause[COPIES] + clause[SIZE] * omp_self.team.number + variable[1];
        }
    omp_fail("in_reduction of a variable that no group reduces");
}

void GOMP_task_reduction_remap(size_t n, size_t n_original, void **at)
{
    for (size_t i = 0; i < n; i++) {
        void *original, *copy = find_copy((uintptr_t)at[i], &original);
        at[i] = copy;
        if (i < n_original)
            at[n + i] = original;
    }
}
