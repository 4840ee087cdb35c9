/* SPDX-License-Identifier: MIT */
/*
 * svm.c - the runs of a process on several cores of an SCC compute on pages that they share (docs/svm.md). arguments:
 * [svm, ROUNDS, what to leave out]. Each run counts in a strong page when it is its turn, and computes its part of a
 * grid (Jacobi's iteration, in integers) on lazy and on strong pages, and by twins; the first one compares with a grid
 * that it computes alone. Then all count in a lazy page under a lock, and messages go round in one without a barrier.
 * `release` or `acquire` as the last argument leaves that out there, for the coherence checker to find.
 */
#include <amalgam/scc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS   1024u /* of a page */
#define BAND    2u    /* rows of the grid for each run, a page each */
#define MESSAGE 16u
#define LOCK    7u
#define SHARED  ((volatile uint32_t *)0xde100000) /* of its record's `shared`: kernel/include/process/chip.h */

typedef uint32_t page[WORDS];

static unsigned rank, n, rounds, wrong;
static const char *without = "";

static int64_t must(int64_t result, const char *what)
{
    if (result < 0) {
        printf("svm: rank %u: %s: error %d\n", rank, what, (int)-result);
        exit(1);
    }
    return result;
}

static page *allocate(unsigned pages, enum amalgam_svm_alloc model)
{
    return (page *)(uintptr_t)must(amalgam_svm_alloc(pages, model), "alloc");
}

static void barrier(void) { must(amalgam_svm_barrier(), "barrier"); }

/* Wait for this run's turn; each look at the page brings it here. */
static void await_turn(volatile uint32_t *turn, uint32_t mine)
{
    while (*turn != mine)
        amalgam_sleep_until((uint64_t)amalgam_clock() + 200000);
}

static void count(void)
{
    page *shared = allocate(2, AMALGAM_SVM_ALLOC_STRONG);
    volatile uint32_t *turn = shared[0], *sum = shared[1];
    for (unsigned i = 0; i < rounds; i++) {
        await_turn(turn, i * n + rank);
        *sum += rank + 1;
        ++*turn;
    }
    await_turn(turn, rounds * n);
    wrong += *sum != rounds * n * (n + 1) / 2;
    must(amalgam_svm_free(shared), "free");
}

static void begin(page *grid)
{
    for (unsigned i = 0; i < WORDS; i++)
        grid[0][i] = 1000 * i;
}

static void step(page *to, page *from, unsigned first, unsigned end)
{
    for (unsigned row = first; row < end; row++)
        for (unsigned i = 1; i < WORDS - 1; i++)
            to[row][i] = (from[row - 1][i] + from[row + 1][i] + from[row][i - 1] + from[row][i + 1]) / 4 + row;
}

static void compare(page *result, unsigned rows)
{
    page *own = calloc(2 * rows, sizeof(*own));
    if (!own)
        must(-AMALGAM_ENOMEM, "memory");
    begin(own);
    begin(own + rows);
    for (unsigned i = 0; i < rounds; i++)
        step(own + (i + 1) % 2 * rows, own + i % 2 * rows, 1, rows - 1);
    wrong += memcmp(own + rounds % 2 * rows, result, rows * sizeof(*own)) != 0;
    free(own);
}

static void jacobi(enum amalgam_svm_alloc model)
{
    unsigned rows = n * BAND + 2;
    page *grid = allocate(2 * rows, model);
    if (rank == 0) {
        begin(grid);
        begin(grid + rows);
    }
    barrier();
    for (unsigned i = 0; i < rounds; i++) {
        step(grid + (i + 1) % 2 * rows, grid + i % 2 * rows, 1 + rank * BAND, 1 + (rank + 1) * BAND);
        barrier();
    }
    must(amalgam_svm_change(grid, AMALGAM_SVM_CHANGE_READ_ONLY), "change");
    if (rank == 0)
        compare(grid + rounds % 2 * rows, rows);
    must(amalgam_svm_free(grid), "free");
}

/* The page is lazy; the lock is given back while the page's new word is not in memory, if nobody sees to that. */
static void count_locked(void)
{
    page *shared = allocate(1, AMALGAM_SVM_ALLOC_LAZY);
    volatile uint32_t *sum = shared[0];
    for (unsigned i = 0; i < rounds; i++) {
        must(amalgam_svm_lock(LOCK), "lock");
        uint32_t was = *sum;
        amalgam_sleep_until((uint64_t)amalgam_clock() + 20000); /* others come to the lock */
        *sum = was + rank + 1;
        must(amalgam_svm_unlock(LOCK), "unlock");
    }
    barrier();
    wrong += *sum != rounds * n * (n + 1) / 2;
    must(amalgam_svm_free(shared), "free");
}

/* The message is lazy; whose turn it is, is in memory that is not cached and orders nothing. */
static void pass(void)
{
    page *message = allocate(1, AMALGAM_SVM_ALLOC_LAZY);
    volatile uint32_t *word = *message, *turn = SHARED;
    for (unsigned i = 0; i < rounds; i++) {
        await_turn(turn, i * n + rank);
        if (strcmp(without, "acquire") != 0)
            must(amalgam_svm_acquire(), "acquire");
        for (unsigned k = 0; k < MESSAGE; k++)
            wrong += word[k]++ != i * n + rank;
        if (strcmp(without, "release") != 0)
            must(amalgam_svm_release(), "release");
        ++*turn;
    }
    must(amalgam_svm_free(message), "free");
    *turn = 0; /* for the next start */
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4;
    without = argc > 2 ? argv[2] : "";
    rank = (unsigned)must(amalgam_svm_rank(), "rank");
    n = (unsigned)must(amalgam_svm_members(), "members");
    count();
    jacobi(AMALGAM_SVM_ALLOC_LAZY);
    jacobi(AMALGAM_SVM_ALLOC_STRONG);
    jacobi(AMALGAM_SVM_ALLOC_TWINS);
    count_locked();
    pass();
    printf("svm: rank %u of %u: %u wrong\n", rank, n, wrong);
    return wrong != 0;
}
