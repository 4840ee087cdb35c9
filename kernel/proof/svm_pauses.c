/* SPDX-License-Identifier: MIT */
/*
 * svm_pauses.c - Jacobi's iteration on strong pages, in several orders of execution, for bench/scc. An emulated core
 * runs until it waits, so pages move as if whole bands were computed one after the other. A pause gives the turn on:
 * with pauses between rows the cores take turns by the row, or by a number of rows that chance decides, and pages are
 * asked for in the middle of a band.
 *
 * An iteration writes one grid and reads the other. Where that is declared, the grid that is read is read-only
 * meanwhile: all may map it, and no page moves. Where it is not, the page of an edge moves between two neighbours.
 *
 * Marks are around the iterations of each order. Members make the first access to their bands before them.
 */
#include "apps/stencil.h"
#include <task/task.h>

#include <core/frames.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <svm/svm.h>

#define ITERATIONS 10
#define ROWS       (STENCIL_ROWS + 2)

/* A pause after one row of `rows`, as chance has it; 0: never. bench/scc/speedups.py has the same table. */
static const struct order {
    u8 rows;
    bool declared;
} orders[] = {
    { 5, true }, { 1, false }, { 0, true },  { 1, true },  { 2, true },  { 3, true },
    { 4, true }, { 0, false }, { 2, false }, { 3, false }, { 4, false }, { 5, false },
};

static bool pauses(const struct order *o, u32 *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return o->rows && (*seed >> 16) % o->rows == 0;
}

/* After an iteration that wrote grid `new`: the next one reads it and writes the other one. */
static int turn_over(const struct order *o, struct stencil_row *const grid[2], unsigned new)
{
    if (!o->declared)
        return svm_barrier();
    int err = svm_change(grid[new], SVM_READ_ONLY);
    return err ? err : svm_change(grid[1 - new], SVM_STRONG);
}

/* Rows [from, to) of all iterations; the result is in grid[ITERATIONS % 2]. `o`: together with all members. */
static int iterate(struct stencil_row *const grid[2], unsigned from, unsigned to, const struct order *o)
{
    u32 seed = o ? o->rows * 64 + svm_rank() : 0;
    int err = o && o->declared ? svm_change(grid[0], SVM_READ_ONLY) : 0;
    for (unsigned i = 0; i < ITERATIONS && !err; i++) {
        const struct stencil_row *old = grid[i % 2];
        for (unsigned r = from; r < to; r++) {
            stencil_step(&grid[1 - i % 2][r], &old[r - 1], &old[r], &old[r + 1]);
            if (o && pauses(o, &seed))
                cpu_relax();
        }
        err = o ? turn_over(o, grid, 1 - i % 2) : task_stopping();
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

static int solve(const struct task *t, const struct order *o, struct stencil_row *const grid[2],
                 const struct stencil_row *own)
{
    unsigned n = svm_members(), rank = svm_rank(), from = 1 + rank * STENCIL_ROWS / n,
             to = 1 + (rank + 1) * STENCIL_ROWS / n;
    struct svm_stats was, s;
    clear(grid, from, to);
    int err = svm_barrier();
    if (!err)
        err = svm_barrier(); /* who gave pages to the others until the first one has come, too */
    svm_stats(&was);
    svm_mark_begin();
    if (!err)
        err = iterate(grid, from, to, o);
    svm_mark_end();
    svm_stats(&s);
    if (!err)
        err = svm_barrier(); /* nobody does anything else before all have passed the mark */
    if (!err && rank == 0)
        task_print(t, "order %u on %u cores: %u words differ; rank 0 took %u pages\n", (unsigned)(o - orders), n,
                   count_different(grid[ITERATIONS % 2], own), s.taken - was.taken);
    return err ? err : svm_change(grid[ITERATIONS % 2], SVM_STRONG);
}

static void svm_pauses_run(struct task *t, unsigned which)
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
        iterate(own, 1, ROWS - 1, NULL);
    }
    for (const struct order *o = orders; o < orders + ARRAY_SIZE(orders) && !err; o++)
        err = solve(t, o, grid, own[ITERATIONS % 2]);
    task_print(t, "pauses: %s %d\n", err ? "error" : "done", err);
    if (alone)
        frames_free(virt_to_phys(alone), 2 * ROWS);
}

TASK_APP(svm_pauses, .number = APP_SVM_PAUSES, .name = "svm-pauses", .fpu = true, .run = svm_pauses_run);
