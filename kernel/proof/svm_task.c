/* SPDX-License-Identifier: MIT */
/*
 * svm_task.c - Jacobi's iteration on shared virtual memory. A member of each kernel computes a band of rows, and rank 0
 * compares the result, word by word, with one that it computes alone. There are two grids with a row in each page, and
 * a barrier after each iteration.
 */
#include "apps/stencil.h"
#include <task/task.h>

#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/memory.h>
#include <hal/time.h>
#include <svm/svm.h>

#define ITERATIONS 10
#define ROWS       (STENCIL_ROWS + 2)

_Static_assert(sizeof(struct stencil_row) == PAGE_SIZE, "a row a page");

/* Compute rows [from, to) in all iterations, from grid[0] on; the result is in grid[ITERATIONS % 2]. `together`: with
 * the other members. */
static int iterate(struct stencil_row *const grid[2], unsigned from, unsigned to, bool together)
{
    int err = 0;
    for (unsigned i = 0; i < ITERATIONS && !err; i++) {
        const struct stencil_row *old = grid[i % 2];
        for (unsigned r = from; r < to; r++)
            stencil_step(&grid[1 - i % 2][r], &old[r - 1], &old[r], &old[r + 1]);
        err = together ? svm_barrier() : task_stopping();
    }
    return err;
}

/* Compute Fletcher's sums of a grid's words, so that another machine can compute them, too. */
static void sums(const struct stencil_row *grid, u32 *first, u32 *second)
{
    const u32 *word = (const u32 *)grid;
    for (size_t i = 0; i < ROWS * sizeof(*grid) / sizeof(*word); i++) {
        *first += word[i];
        *second += *first;
    }
}

/* Returns how many words of the result differ from one that this core computes alone. */
static u32 count_different(const struct stencil_row *result, struct stencil_row *const own[2])
{
    const u32 *a = (const u32 *)result, *b = (const u32 *)own[ITERATIONS % 2];
    u32 n = 0;
    stencil_edge(&own[0][0]);
    stencil_edge(&own[1][0]);
    iterate(own, 1, ROWS - 1, false);
    for (size_t i = 0; i < ROWS * sizeof(*result) / sizeof(*a); i++)
        n += a[i] != b[i];
    return n;
}

static void compare(const struct task *t, const char *model, const struct stencil_row *result)
{
    struct stencil_row *own = pages_alloc(2 * ROWS), *grid[2] = { own, own + ROWS };
    u32 first = 0, second = 0;
    if (!own) {
        task_print(t, "jacobi %s: no memory for a result to compare with\n", model);
        return;
    }
    sums(result, &first, &second);
    task_print(t, "jacobi %s: %u iterations on %u cores: %u words differ from one core's result; sums %x %x\n", model,
               ITERATIONS, svm_members(), count_different(result, grid), first, second);
    frames_free(virt_to_phys(own), 2 * ROWS);
}

/* Print the counters since `was`. */
static void report(const struct task *t, const char *model, const struct svm_stats *was, ticks_t took)
{
    struct svm_stats s;
    svm_stats(&s);
    task_print(t, "jacobi %s: rank %u: %llu ticks, %u faults, %u pages taken, %u given, %u held, %u late, %u refused\n",
               model, svm_rank(), took, s.faults - was->faults, s.taken - was->taken, s.given - was->given,
               s.held - was->held, s.late - was->late, s.refused - was->refused);
}

static int solve(const struct task *t, const char *model, struct stencil_row *const grid[2])
{
    unsigned n = svm_members(), rank = svm_rank();
    struct svm_stats was;
    fpu_round_double();
    for (unsigned i = 0; i < 2 && rank == 0; i++)
        stencil_edge(&grid[i][0]);
    int err = svm_barrier();
    svm_stats(&was);
    ticks_t start = time_now();
    svm_mark_begin();
    if (!err)
        err = iterate(grid, 1 + rank * STENCIL_ROWS / n, 1 + (rank + 1) * STENCIL_ROWS / n, true);
    svm_mark_end();
    ticks_t took = time_now() - start;
    if (!err)
        err = svm_barrier(); /* no core does other work before all have passed the mark */
    if (!err)
        report(t, model, &was, took);
    if (!err && rank == 0)
        compare(t, model, grid[ITERATIONS % 2]);
    return err ? err : svm_barrier();
}

static void svm_task_run(struct task *t, unsigned which)
{
    static const char *const names[] = { [SVM_STRONG] = "strong", [SVM_LAZY] = "lazy" };
    int err = 0;
    for (enum svm_model model = SVM_STRONG; model <= SVM_LAZY && !err; model++) {
        struct stencil_row *both = svm_alloc(2 * ROWS * sizeof(*both), model);
        struct stencil_row *const grid[2] = { both, both + ROWS };
        err = both ? solve(t, names[model], grid) : -ENOMEM;
    }
    if (err)
        task_print(t, "jacobi: error %d\n", err);
}

TASK_APP(svm, .number = APP_SVM, .name = "svm", .fpu = true, .run = svm_task_run);
