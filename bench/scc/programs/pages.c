/* SPDX-License-Identifier: MIT */
/*
 * pages.c - parallel programs of the runs of a process on several cores of an SCC, on pages that they share
 * (docs/svm.md), for bench/scc: what those of user/rcce/programs/ compute, to the bit. arguments: [pages, MODEL,
 * PAUSES, apps] or [pages, MODEL, PAUSES, jacobi, ROWS, COLUMNS].
 *
 *   lazy        All runs map all pages.
 *   strong      A page has one owner; what is only read for a while is declared read-only meanwhile.
 *   undeclared  A page has one owner, for reading, too.
 *
 * Each digit of PAUSES is one order of execution: all is computed once more, with pauses after a row or a block of so
 * many, by chance; 0: without. An emulated core runs until it waits or pauses.
 *
 *   jacobi  A band of rows each, a barrier an iteration. A row of a strong page has it alone.
 *   matmul  Bands of rows, three in a page. Each run begins with the rows of B that it has made itself.
 *   fft     The rows' transforms read the columns where they lie.
 *   ep      The first run adds the sums of all blocks in their order.
 *
 * Part p has mark 2 p + 1 before and mark 2 p + 2 behind it (docs/coherence.md, "Clocks"); jacobi is part 0. Inputs are
 * made before, the first accesses to shared pages are in it.
 */
#define PROGRAM "pages"
#include <amalgam/scc.h>
#include <string.h>

#include "../../../user/numeric/deviates.h"
#include "../../../user/numeric/product.h"
#include "../../../user/numeric/stencil.h"
#include "../../../user/numeric/transform.h"
#include "../../../user/numeric/x87.h"
#include "../../../user/programs/mark.h"
#include "../../../user/programs/must.h"

#define PAGE_SIZE 4096u
#define THREE     3 /* rows of a matrix in a page */

struct rows {
    double row[THREE][EDGE];
    char rest[PAGE_SIZE - THREE * sizeof(double[EDGE])];
};

struct part { /* of the deviates */
    uint32_t count[RINGS];
    struct block blocks[BLOCKS];
};

static int me, n;
static const char *model;
static int strong, declares; /* pages have owners; what is only read is declared read-only */
static unsigned every;       /* a pause after a row of so many */
static uint32_t seed;

/* The first of `of` things that are a run's. */
static int first(int run, int of) { return run * of / n; }

static void *share(size_t bytes)
{
    enum amalgam_svm_alloc kind = strong ? AMALGAM_SVM_ALLOC_STRONG : AMALGAM_SVM_ALLOC_LAZY;
    return (void *)(uintptr_t)RESULT(amalgam_svm_alloc((unsigned)((bytes + PAGE_SIZE - 1) / PAGE_SIZE), kind));
}

static void barrier(void) { RESULT(amalgam_svm_barrier()); }

/* Let all read what each has written to a region; nobody writes there any more. */
static void publish(const void *region)
{
    if (declares)
        RESULT(amalgam_svm_change(region, AMALGAM_SVM_CHANGE_READ_ONLY));
    else
        barrier();
}

static void pause_by_chance(void)
{
    seed = seed * 1664525 + 1013904223;
    if (every && (seed >> 16) % every == 0)
        __builtin_ia32_pause();
}

static void report(const char *name, const uint32_t sums[2])
{
    printf("%s %s on %d cores, pauses %u: sums %x %x\n", name, model, n, every, (unsigned)sums[0], (unsigned)sums[1]);
}

static void matmul(void)
{
    static double a[EDGE][EDGE]; /* this run's rows */
    struct rows *b = share(EDGE / THREE * sizeof(*b)), *c = share(EDGE / THREE * sizeof(*c));
    int from = first(me, EDGE), end = first(me + 1, EDGE);
    uint32_t sums[2] = { 0 };
    for (int i = from; i < end; i++)
        for (int j = 0; j < EDGE; j++) {
            a[i - from][j] = value_of_a(i, j);
            b[i / THREE].row[i % THREE][j] = value_of_b(i, j);
        }
    barrier();
    MARK(1);
    publish(b);
    for (int i = from; i < end; i++) {
        for (int step = 0; step < EDGE / THREE; step++) {
            int at = (from / THREE + step) % (EDGE / THREE);
            add_rows(c[i / THREE].row[i % THREE], a[i - from] + THREE * at, b[at].row, THREE);
        }
        pause_by_chance();
    }
    MARK(2);
    barrier();
    for (int i = 0; i < EDGE && me == 0; i++)
        add_to_sums(sums, c[i / THREE].row[i % THREE], sizeof(c->row[0]));
    if (me == 0)
        report("matmul", sums);
    RESULT(amalgam_svm_free(b));
    RESULT(amalgam_svm_free(c));
}

static void fft(void)
{
    static struct complex x[SIDE][SIDE], twiddle[SIDE][SIDE]; /* this run's columns */
    size_t bytes = sizeof(x);
    struct complex(*y)[SIDE] = share(bytes), (*z)[SIDE] = share(bytes);
    int from = first(me, SIDE), end = first(me + 1, SIDE);
    uint32_t sums[2] = { 0 };
    make_roots();
    for (int c = from; c < end; c++)
        make_column(x[c - from], twiddle[c - from], c);
    barrier();
    MARK(3);
    for (int c = from; c < end; c++) {
        transform_column(y[c], x[c - from], twiddle[c - from]);
        pause_by_chance();
    }
    publish(y);
    for (int k = from; k < end; k++) {
        transform(z[k], &y[0][k], SIDE, SIDE);
        pause_by_chance();
    }
    MARK(4);
    barrier();
    if (me == 0) {
        add_to_sums(sums, z, bytes);
        report("fft", sums);
        print_values(z[0]);
    }
    RESULT(amalgam_svm_free(y));
    RESULT(amalgam_svm_free(z));
}

/* What a run's part takes: a page, if that moves, else lines. */
static size_t part_pitch(void)
{
    size_t most = sizeof(uint32_t[RINGS]) + ((unsigned)BLOCKS / (unsigned)n + 1) * sizeof(struct block);
    return strong ? PAGE_SIZE : (most + 31) / 32 * 32;
}

static void ep(void)
{
    static struct part own;
    char *parts = share((size_t)n * part_pitch());
    int from = first(me, BLOCKS), end = first(me + 1, BLOCKS);
    uint32_t sums[2] = { 0 }, count[RINGS] = { 0 };
    struct block sum = { 0 };
    memset(&own, 0, sizeof(own));
    barrier();
    MARK(5);
    for (int b = from; b < end; b++) {
        deviates(&own.blocks[b - from], own.count, b);
        pause_by_chance();
    }
    memcpy(parts + (size_t)me * part_pitch(), &own,
           offsetof(struct part, blocks) + (size_t)(end - from) * sizeof(*own.blocks));
    publish(parts);
    for (int run = 0; run < n && me == 0; run++) {
        const struct part *theirs = (const void *)(parts + (size_t)run * part_pitch());
        add_blocks(&sum, theirs->blocks, first(run + 1, BLOCKS) - first(run, BLOCKS));
        for (int i = 0; i < RINGS; i++)
            count[i] += theirs->count[i];
    }
    MARK(6);
    barrier();
    for (int run = 0; run < n && me == 0; run++)
        add_to_sums(sums, ((const struct part *)(parts + (size_t)run * part_pitch()))->blocks,
                    (size_t)(first(run + 1, BLOCKS) - first(run, BLOCKS)) * sizeof(struct block));
    if (me == 0) {
        report("ep", sums);
        print_deviates(&sum, count);
    }
    RESULT(amalgam_svm_free(parts));
}

/* After an iteration that wrote `written`: the next one reads it and writes the other grid. */
static void turn_over(const double *written, const double *other)
{
    publish(written);
    if (declares)
        RESULT(amalgam_svm_change(other, AMALGAM_SVM_CHANGE_STRONG));
}

static void jacobi(int rows, int columns)
{
    int pitch = strong ? (int)(PAGE_SIZE / sizeof(double)) : row_pitch(columns);
    size_t bytes = (size_t)(rows + 2) * (size_t)pitch * sizeof(double);
    double *grid[2] = { share(bytes), share(bytes) };
    uint32_t sums[2] = { 0 };
    for (int i = 0; i < 2 && me == 0; i++)
        set_edge(grid[i], columns);
    barrier();
    MARK(1);
    if (declares)
        publish(grid[0]);
    for (int i = 0; i < ITERATIONS; i++) {
        double *old = grid[i % 2], *new = grid[1 - i % 2];
        for (int r = 1 + first(me, rows); r < 1 + first(me + 1, rows); r++) {
            step(new + r *pitch, old + (r - 1) * pitch, old + r * pitch, old + (r + 1) * pitch, columns);
            pause_by_chance();
        }
        turn_over(new, old);
    }
    MARK(2);
    barrier();
    if (me == 0) {
        add_rows_to_sums(sums, grid[ITERATIONS % 2], rows + 2, columns, pitch);
        report("jacobi", sums);
    }
    RESULT(amalgam_svm_free(grid[0]));
    RESULT(amalgam_svm_free(grid[1]));
}

int main(int argc, char **argv)
{
    int rows, columns;
    MUST(argc > 3);
    model = argv[1];
    declares = strcmp(model, "strong") == 0;
    strong = declares || strcmp(model, "undeclared") == 0;
    MUST(strong || strcmp(model, "lazy") == 0);
    me = (int)RESULT(amalgam_svm_rank());
    n = (int)RESULT(amalgam_svm_members());
    round_to_53_bits();
    for (const char *order = argv[2]; *order; order++) {
        MUST(*order >= '0' && *order <= '9');
        every = (unsigned)(*order - '0');
        seed = every * 64 + (unsigned)me;
        if (strcmp(argv[3], "apps") == 0) {
            matmul();
            fft();
            ep();
        } else {
            MUST(strcmp(argv[3], "jacobi") == 0 && read_size(argc - 3, argv + 3, &rows, &columns));
            jacobi(rows, columns);
        }
    }
    if (me == 0)
        printf("pages: done\n");
    return 0;
}
