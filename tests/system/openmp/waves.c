/* SPDX-License-Identifier: MIT */
/* ordered(n): loops whose iterations wait for earlier ones, with all schedules, over int and over unsigned long long,
 * in two dimensions, one behind the other without a barrier; each part counts what is wrong. */
#include <omp.h>
#include <stdio.h>

#define N 60

static int row[2][N + 1], grid[N][N];

static void begin(void)
{
    for (int i = 0; i <= N; i++)
        row[0][i] = row[1][i] = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            grid[i][j] = i == 0 || j == 0;
}

/* A loop in which each iteration needs the one before it: the last sum is right if all waited. */
#define CHAIN(which, variable, clauses)                                                                                \
    _Pragma(clauses) for (variable = 1; i <= N; i++)                                                                   \
    {                                                                                                                  \
        _Pragma("omp ordered depend(sink : i - 1)") row[which][i] = row[which][i - 1] + (int)i;                        \
        _Pragma("omp ordered depend(source)")                                                                          \
    }

static int wrong_row(int which)
{
    int wrong = 0;
    for (int i = 1; i <= N; i++)
        wrong += row[which][i] != i * (i + 1) / 2;
    return wrong;
}

static int chains(void)
{
    int wrong = 0;
    begin();
#pragma omp parallel
    CHAIN(0, int i, "omp for ordered(1) schedule(static)")
    wrong += wrong_row(0);
    begin();
#pragma omp parallel
    CHAIN(0, int i, "omp for ordered(1) schedule(static, 2)")
    wrong += wrong_row(0);
    begin();
#pragma omp parallel
    CHAIN(0, unsigned long long i, "omp for ordered(1) schedule(dynamic)")
    wrong += wrong_row(0);
    begin();
#pragma omp parallel
    CHAIN(0, int i, "omp for ordered(1) schedule(guided, 3)")
    wrong += wrong_row(0);
    begin();
    omp_set_schedule(omp_sched_dynamic, 4);
#pragma omp parallel
    CHAIN(0, int i, "omp for ordered(1) schedule(runtime)")
    return wrong + wrong_row(0);
}

/* Threads are in different loops at a time. */
static int behind(void)
{
    int wrong = 0;
    for (int turn = 0; turn < 5; turn++) {
        begin();
#pragma omp parallel
        { CHAIN(0, int i, "omp for ordered(1) schedule(static, 3) nowait")
              CHAIN(1, int i, "omp for ordered(1) schedule(dynamic, 2) nowait") } wrong += wrong_row(0) + wrong_row(1);
    }
    return wrong;
}

/* Returns how many elements are not the sum of the one above and the one on the left. */
static int wrong_grid(void)
{
    int wrong = 0;
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            wrong += grid[i][j] != (grid[i - 1][j] + grid[i][j - 1]) % 1000;
    return wrong;
}

static int waves(void)
{
    int wrong = 0, after = 0;
    begin();
#pragma omp parallel for ordered(2) schedule(static, 1)
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000;
#pragma omp ordered depend(source)
        }
    wrong += wrong_grid();
    begin();
#pragma omp parallel for ordered(2) schedule(dynamic) collapse(2) reduction(+ : after)
    for (long long i = 1; i < N; i++)
        for (long long j = 1; j < N; j++) {
            after++;
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000;
#pragma omp ordered depend(source)
        }
    return wrong + wrong_grid() + (after != (N - 1) * (N - 1));
}

/* An iteration that does not say that it is done is done when its thread's chunk is. */
static int silent(void)
{
    begin();
#pragma omp parallel for ordered(1) schedule(dynamic)
    for (int i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 1)
        row[0][i] = row[0][i - 1] + i;
        if (i % 3) {
#pragma omp ordered depend(source)
        }
    }
    return wrong_row(0);
}

/* A region inside an iteration has such a loop, too. */
static int nested(void)
{
    int sum = 0;
    begin();
#pragma omp parallel for ordered(1) schedule(dynamic)
    for (int i = 1; i <= N; i++) {
        int mine = 0;
#pragma omp parallel for ordered(2) num_threads(2) reduction(+ : mine)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 2; l++) {
#pragma omp ordered depend(sink : k - 1, l)
                mine++;
#pragma omp ordered depend(source)
            }
#pragma omp ordered depend(sink : i - 1)
        row[0][i] = row[0][i - 1] + i;
        sum += mine;
#pragma omp ordered depend(source)
    }
    return wrong_row(0) + (sum != 6 * N);
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = {
        { "chains", chains }, { "behind", behind }, { "waves", waves }, { "silent", silent }, { "nested", nested }
    };
    int wrong = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    printf("waves on %d threads: %d wrong\n", omp_get_max_threads(), wrong);
    return wrong != 0;
}
