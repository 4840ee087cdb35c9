/* SPDX-License-Identifier: MIT */
/* scan, lastprivate(conditional), reductions of tasks over regions, loops and sections, taskloops that take part in
 * another one's reduction, barriers of a region that one thread alone meets; each part counts what is wrong. */
#include <omp.h>
#include <stdio.h>

#define N    100
#define MOST 48

static int value[N], sums[N];

static int scans(void)
{
    int wrong = 0, sum = 3, most = 0, expected = 3;
    for (int i = 0; i < N; i++)
        value[i] = i % 7 - 2;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        sum += value[i];
#pragma omp scan inclusive(sum)
        sums[i] = sum;
    }
    for (int i = 0; i < N; i++)
        wrong += sums[i] != (expected += value[i]);
    wrong += sum != expected;
#pragma omp parallel
#pragma omp for reduction(inscan, max : most)
    for (int i = 0; i < N; i++) {
        sums[i] = most;
#pragma omp scan exclusive(most)
        most = most > i * 37 % 101 ? most : i * 37 % 101;
    }
    expected = 0;
    for (int i = 0; i < N; i++) {
        wrong += sums[i] != expected;
        expected = expected > i * 37 % 101 ? expected : i * 37 % 101;
    }
    wrong += most != expected;
    return wrong;
}

static int last_ones(void)
{
    int wrong = 0;
    for (int turn = 0; turn < N; turn += 9) {
        int a = -1, b = -1, c = -1, d = -1, s = -1;
#pragma omp parallel
        {
#pragma omp for lastprivate(conditional : a)
            for (int i = 0; i < N; i++)
                if (i <= turn)
                    a = i;
#pragma omp for lastprivate(conditional : b) schedule(dynamic, 3) nowait
            for (int i = 0; i < N; i++)
                if (i <= turn)
                    b = i * 2;
#pragma omp for lastprivate(conditional : c) schedule(guided)
            for (unsigned long long i = 0; i < N; i++)
                if ((int)i <= turn)
                    c = (int)i * 3;
#pragma omp for lastprivate(conditional : d) ordered schedule(static, 2)
            for (int i = 0; i < N; i++) {
                if (i <= turn)
                    d = i * 4;
#pragma omp ordered
                value[i] = i;
            }
#pragma omp sections firstprivate(s) lastprivate(conditional : s)
            {
#pragma omp section
                if (turn >= 0)
                    s = 1;
#pragma omp section
                if (turn > 50)
                    s = 2;
            }
        }
        wrong += (a != turn) + (b != turn * 2) + (c != turn * 3) + (d != turn * 4) + (s != (turn > 50) + 1);
    }
    return wrong;
}

/* Returns how many pairs of threads have had the same copy. */
static int same_copies(void *const *copy)
{
    int same = 0;
    for (int i = 0; i < MOST; i++)
        for (int k = 0; k < i; k++)
            same += copy[i] && copy[i] == copy[k];
    return same;
}

static int of_tasks(void)
{
    void *copy[MOST] = { 0 };
    int wrong = 0, region = 5, loop = 1, wide = 0, section = 0, threads = 0;
    double product = 1;
#pragma omp parallel reduction(task, + : region) reduction(task, * : product) reduction(+ : threads)
    {
        threads++;
        region += 1000;
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : region) in_reduction(* : product) firstprivate(i)
            {
                region += i;
                product *= i == 5 ? 2 : 1;
                copy[omp_get_thread_num()] = &region;
            }
        }
    }
    wrong += same_copies(copy);
    wrong += region != 5 + threads * (1000 + 45) || product != (double)(1ull << threads);
#pragma omp parallel for reduction(task, + : loop) schedule(dynamic, 3)
    for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : loop) firstprivate(i)
        loop += i;
    }
#pragma omp parallel
    {
#pragma omp for reduction(task, + : loop)
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : loop) firstprivate(i)
            loop += i;
        }
#pragma omp for reduction(task, + : wide) schedule(guided)
        for (unsigned long long i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : wide) firstprivate(i)
            wide += (int)i;
            wide++;
        }
#pragma omp sections reduction(task, + : section)
        {
#pragma omp section
            {
#pragma omp task in_reduction(+ : section)
                section += 7;
            }
#pragma omp section
            section += 20;
        }
    }
    return wrong + (loop != 1 + N * (N - 1)) + (wide != N * (N - 1) / 2 + N) + (section != 27);
}

static int taskloops(void)
{
    int sum = 0, all = 0;
#pragma omp parallel reduction(task, + : all)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp taskloop in_reduction(+ : sum) grainsize(3)
        for (int i = 0; i < N; i++)
            sum += i;
#pragma omp taskloop in_reduction(+ : sum, all) nogroup num_tasks(8)
        for (unsigned long long i = 0; i < N; i++) {
            sum += (int)i;
            all += 2;
        }
    }
    return (sum != N * (N - 1)) + (all != 2 * N);
}

/* Its barriers are not those of the team, so the next barrier of all is the same one for all. */
static int alone(void)
{
    int wrong = 0, n = 0, threads = 0;
#pragma omp parallel reduction(+ : wrong, threads)
    {
        threads++;
        if (omp_get_thread_num() == 0)
#pragma omp parallel num_threads(3)
            for (int i = 0; i < 3; i++) {
#pragma omp barrier
            }
#pragma omp atomic
        n++;
#pragma omp barrier
        int seen;
#pragma omp atomic read
        seen = n;
        wrong += seen != omp_get_num_threads();
    }
    return wrong + (n != threads);
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = { { "scans", scans },
                  { "last ones", last_ones },
                  { "reductions of tasks", of_tasks },
                  { "taskloops", taskloops },
                  { "alone", alone } };
    int wrong = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    printf("sums on %d threads: %d wrong\n", omp_get_max_threads(), wrong);
    return wrong != 0;
}
