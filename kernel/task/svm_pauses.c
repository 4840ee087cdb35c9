/* SPDX-License-Identifier: MIT */
/*
 * svm_pauses.c - Jacobi's iteration on strong pages, in several orders of execution, for bench/scc. An emulated core
 * runs until it waits, so pages move as if whole bands were computed one after the other. A pause gives the turn on:
 * with pauses between rows the cores take turns by the row, or by a number of rows that chance decides, and pages are
 * asked for in the middle of a band. The first order has no pauses, the second one a pause at every row.
 *
 * Marks are around the iterations of each order. Members make the first access to their bands before them.
 */
#include "apps/stencil.h"
#include "task.h"

#include <core/frames.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <svm/svm.h>

#define ITERATIONS 10
#define ROWS       (STENCIL_ROWS + 2)
#define ORDERS     6u

/* Order 0: never; 1: after each row; N: after one row of N, as chance has it. */
static bool pauses(unsigned order, u32 *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return order && (*seed >> 16) % order == 0;
}

/* Rows [from, to) of all iterations; the result is in grid[ITERATIONS % 2]. */
static int iterate(struct stencil_row *const grid[2], unsigned from, unsigned to, unsigned order, bool together)
{
    u32 seed = order * 64 + svm_rank();
    int err = 0;
    for (unsigned i = 0; i < ITERATIONS && !err; i++) {
        const struct stencil_row *old = grid[i % 2];
        for (unsigned r = from; r < to; r++) {
            stencil_step(&grid[1 - i % 2][r], &old[r - 1], &old[r], &old[r + 1]);
            if (pauses(order, &seed))
                cpu_relax();
        }
        err = together ? svm_barrier() : task_stopping();
    }
    return err;
}

/* All is zero but the row above the first one. Who clears a row has its page. */
static void clear(struct stencil_row *const grid[2], unsigned from, unsigned to)
{
    for (unsigned i = 0; i < 2; i++) {
        clear_pages(&grid[i][from], to - from);
        if (from == 1)
            stencil_edge(&grid[i][0]);
    }
}

static u32 count_different(const struct stencil_row *result, const struct stencil_row *own)
{
    const u32 *a = (const u32 *)result, *b = (const u32 *)own;
    u32 n = 0;
    for (size_t i = 0; i < ROWS * sizeof(*result) / sizeof(*a); i++)
        n += a[i] != b[i];
    return n;
}

static int solve(const struct task *t, unsigned order, struct stencil_row *const grid[2], const struct stencil_row *own)
{
    unsigned n = svm_members(), rank = svm_rank(), from = 1 + rank * STENCIL_ROWS / n,
             to = 1 + (rank + 1) * STENCIL_ROWS / n;
    struct svm_stats was, s;
    clear(grid, from, to);
    int err = svm_barrier();
    svm_stats(&was);
    svm_mark_begin();
    if (!err)
        err = iterate(grid, from, to, order, true);
    svm_mark_end();
    svm_stats(&s);
    if (!err)
        err = svm_barrier(); /* nobody does anything else before all have passed the mark */
    if (!err && rank == 0)
        task_print(t, "order %u on %u cores: %u words differ; rank 0 took %u pages\n", order, n,
                   count_different(grid[ITERATIONS % 2], own), s.taken - was.taken);
    return err ? err : svm_barrier();
}

static void run(struct task *t, unsigned which)
{
    struct stencil_row *grid[2], *alone = svm_rank() ? NULL : pages_alloc(2 * ROWS), *own[2] = { alone, alone + ROWS };
    int err = svm_rank() || alone ? 0 : -ENOMEM;
    fpu_round_double();
    for (unsigned i = 0; i < 2 && !err; i++) {
        grid[i] = svm_alloc(ROWS * sizeof(*grid[i]), SVM_STRONG);
        err = grid[i] ? 0 : -ENOMEM;
    }
    if (alone && !err) {
        stencil_edge(&own[0][0]);
        stencil_edge(&own[1][0]);
        iterate(own, 1, ROWS - 1, 0, false);
    }
    for (unsigned order = 0; order < ORDERS && !err; order++)
        err = solve(t, order, grid, own[ITERATIONS % 2]);
    task_print(t, "pauses: %s %d\n", err ? "error" : "done", err);
    if (alone)
        frames_free(virt_to_phys(alone), 2 * ROWS);
}

TASK_APP(svm_pauses, .number = APP_SVM_PAUSES, .name = "svm-pauses", .fpu = true, .run = run);
