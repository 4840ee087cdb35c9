/* SPDX-License-Identifier: MIT */
/*
 * reduction.c - reductions of tasks: `task_reduction` of a taskgroup, `in_reduction` of a task, `reduction` of a
 * taskloop. Each thread has a copy of all variables of a clause; the compiler's code initializes a copy when a task
 * first uses it, and adds the copies up behind the group.
 *
 * The compiler describes a clause in an array of words. It fills in the number of variables, the size of one thread's
 * copies, their alignment, and for each variable three words: its address, its place in the copies, one of its own. The
 * runtime writes where the copies begin in place of the alignment, and where they end.
 */
#include <stdlib.h>
#include <string.h>

#include "task.h"

enum { VARIABLES, SIZE, COPIES, NEXT = 4, END = 6, FIRST = 7, WORDS_OF_ONE = 3 };

void GOMP_taskgroup_reduction_register(uintptr_t *clause);
void GOMP_taskgroup_reduction_unregister(uintptr_t *clause);
void GOMP_task_reduction_remap(size_t n, size_t n_original, void **at);

void GOMP_taskgroup_reduction_register(uintptr_t *clause)
{
    struct omp_group *g = omp_self.task->group;
    size_t bytes = clause[SIZE] * omp_self.team.threads;
    uintptr_t align = clause[COPIES] > CACHE_LINE ? clause[COPIES] : CACHE_LINE;
    char *copies = aligned_alloc(align, (bytes + align - 1) & ~(align - 1));
    if (!copies)
        omp_fail("no memory for a reduction of tasks");
    memset(copies, 0, bytes);
    clause[COPIES] = (uintptr_t)copies;
    clause[END] = (uintptr_t)copies + bytes;
    clause[NEXT] = (uintptr_t)g->reductions;
    g->reductions = clause;
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
