/* SPDX-License-Identifier: MIT */
/* cancel of regions, loops, sections and groups of tasks, and what comes after them is whole; each part counts what is
 * wrong. Runs with OMP_CANCELLATION=true. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 200

static int done[N];

static void once(int i)
{
#pragma omp atomic
    done[i]++;
}

/* Returns how many of the iterations ran more than once, or not at all although all should have run. */
static int check(int all)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += done[i] > 1 || (all && !done[i]);
        done[i] = 0;
    }
    return wrong;
}

/* Loops of a region that nobody cancels: they need what the regions before them have left. */
static int whole(void)
{
    int sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3) nowait
        for (int i = 0; i < N; i++)
            once(i);
#pragma omp barrier
#pragma omp for ordered schedule(static, 2) reduction(+ : sum)
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            sum++;
        }
    }
    return check(1) + (sum != N);
}

/* One thread cancels, the others wait for it at cancellation points, or in a barrier, or are at the end. */
static int regions(void)
{
    int wrong = 0, after = 0, most = omp_get_max_threads();
    for (int turn = 0; turn < 12; turn++) {
#pragma omp parallel shared(after)
        {
            int me = omp_get_thread_num();
            for (int i = 0; i < turn % 4; i++) {
#pragma omp barrier
            }
            if (me == turn % most) {
#pragma omp cancel parallel
            }
            for (int i = 0; me % 2 && i < 1; i = 0) {
#pragma omp flush
#pragma omp cancellation point parallel
            }
#pragma omp barrier
#pragma omp atomic
            after++;
        }
        wrong += whole();
    }
    return wrong + after;
}

/* Threads cancel when others are in loops that the canceller never reaches. */
static int left_loops(void)
{
    int wrong = 0, after = 0, most = omp_get_max_threads(), sum = 0;
    for (int turn = 0; turn < 8; turn++) {
#pragma omp parallel shared(after)
        {
            if (omp_get_thread_num() == turn % most) {
#pragma omp cancel parallel
            }
#pragma omp for ordered schedule(static, 1) nowait
            for (int i = 0; i < 20; i++) {
#pragma omp ordered
                done[0] = 1;
            }
#pragma omp for schedule(dynamic) reduction(task, + : sum)
            for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum)
                sum++;
            }
#pragma omp barrier
#pragma omp atomic
            after++;
        }
        done[0] = 0;
        wrong += whole();
    }
    return wrong + after;
}

/* At most half of the iterations run, since each needs one more cancellation point; the loop behind it is whole. */
#define LOOP(variable, clauses)                                                                                        \
    ran = 0;                                                                                                           \
    _Pragma("omp parallel")                                                                                            \
    {                                                                                                                  \
        _Pragma(clauses) for (variable = 0; i < N; i++)                                                                \
        {                                                                                                              \
            _Pragma("omp cancellation point for") once((int)i);                                                        \
            _Pragma("omp atomic") ran++;                                                                               \
            _Pragma("omp cancel for if (i % 10 == 3)")                                                                 \
        }                                                                                                              \
        _Pragma("omp for schedule(dynamic, 2)") for (int i = 0; i < N; i++) _Pragma("omp atomic") ran += 1000;         \
    }                                                                                                                  \
    wrong += check(0) + (ran / 1000 != N) + (ran % 1000 < 1) + (ran % 1000 > N / 2);

static int loops(void)
{
    int wrong = 0, ran;
    LOOP(int i, "omp for")
    LOOP(int i, "omp for schedule(static, 3)")
    LOOP(int i, "omp for schedule(dynamic)")
    LOOP(unsigned long long i, "omp for schedule(guided)")
    LOOP(int i, "omp for schedule(runtime)")
    return wrong + whole();
}

/* The first thread cancels; the others wait for that. The compiler divides the loop. */
static int points(void)
{
    int after = 0;
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < N; i++) {
        if (!omp_get_thread_num()) {
#pragma omp cancel for
        }
        for (int k = 0; k < 1; k = 0) {
#pragma omp flush
#pragma omp cancellation point for
        }
#pragma omp atomic
        after++;
    }
    return after;
}

/* Threads without a cancellation point get no more iterations. */
static int chunks(void)
{
    int ran = 0;
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
        if (!i) {
#pragma omp cancel for
        }
        for (int k = 0; k < 20; k++) {
#pragma omp flush
        }
#pragma omp atomic
        ran++;
    }
    return ran > N / 2;
}

static int sections(void)
{
    int after = 0, next = 0;
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
#pragma omp atomic
                after++;
    }
#pragma omp section
    {
#pragma omp cancel sections
#pragma omp atomic
        after++;
    }
}
#pragma omp sections
{
#pragma omp section
#pragma omp atomic
    next++;
#pragma omp section
#pragma omp atomic
    next++;
}
}
return after + (next != 2);
}

/* No task of the group that begins after its end was asked for runs; one that runs already ends at a cancellation
 * point. */
static int groups(void)
{
    int wrong = 0, ran = 0, after = 0, began = 0;
#pragma omp parallel
#pragma omp single
    for (int turn = 0; turn < 5; turn++) {
#pragma omp taskgroup
        {
            if (omp_get_num_threads() > 1) {
#pragma omp task shared(began, after)
                {
#pragma omp atomic write
                    began = 1;
                    for (int i = 0; i < 1; i = 0) {
#pragma omp flush
#pragma omp cancellation point taskgroup
                    }
#pragma omp atomic
                    after++;
                }
            }
            int seen = 0;
            while (omp_get_num_threads() > 1 && !seen) {
#pragma omp atomic read
                seen = began;
            }
#pragma omp task if (0) shared(after)
            {
#pragma omp cancel taskgroup
#pragma omp atomic
                after++;
            }
            for (int i = 0; i < 50; i++) {
#pragma omp task shared(after)
#pragma omp atomic
                after++;
            }
#pragma omp taskgroup
#pragma omp task shared(after)
#pragma omp atomic
            after++;
        }
        began = 0;
#pragma omp taskgroup
        for (int i = 0; i < 50; i++) {
#pragma omp task shared(ran)
#pragma omp atomic
            ran++;
        }
        wrong += ran != 50 * (turn + 1);
    }
    return wrong + after;
}

/* Tasks of a region that wait in its list when it is cancelled do not run; those of the next one do. A thread alone has
 * run them before. */
static int region_tasks(void)
{
    int wrong = 0;
    for (int turn = 0; turn < 5; turn++) {
        int ran = 0;
#pragma omp parallel shared(ran)
        {
            if (omp_get_thread_num() == 0) {
                for (int i = 0; i < 10; i++) {
#pragma omp task shared(ran)
#pragma omp atomic
                    ran++;
                }
#pragma omp cancel parallel
            }
            for (int i = 0; i < 1; i = 0) {
#pragma omp flush
#pragma omp cancellation point parallel
            }
        }
        wrong += ran != (omp_get_max_threads() > 1 ? 0 : 10);
        ran = 0;
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(ran)
#pragma omp atomic
            ran++;
        }
        wrong += ran != 10;
    }
    return wrong + whole();
}

/* Cancels its loop and its region. */
__attribute__((noinline)) static int inner(void)
{
    int after = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; i++) {
#pragma omp cancel for
            after++;
        }
#pragma omp cancel parallel
        after++;
    }
    return after;
}

/* Each thread has a region of its own, and cancels only that one. */
static int nested(void)
{
    int wrong = 0, n = 0;
#pragma omp parallel reduction(+ : wrong, n)
    {
        int after = inner();
#pragma omp cancel parallel if (after)
        n++;
#pragma omp barrier
        wrong += omp_get_level() != 1;
    }
    return wrong + (n != omp_get_max_threads()) + whole();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = { { "regions", regions }, { "left loops", left_loops },
                  { "loops", loops },     { "points", points },
                  { "chunks", chunks },   { "sections", sections },
                  { "groups", groups },   { "region tasks", region_tasks },
                  { "nested", nested } };
    const char *set = getenv("OMP_CANCELLATION");
    int wrong = !set || !omp_get_cancellation() || argc != 1 || !argv[0];
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    printf("cancels on %d threads: %d wrong\n", omp_get_max_threads(), wrong);
    return wrong != 0;
}
