/* SPDX-License-Identifier: MIT */
/* Tasks: children that are waited for, groups, dependences, final and undeferred ones, loops; each part counts what is
 * wrong. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 48
#define N    300

static int done[N], ran[MOST];

/* A flush lets the emulator's other cores go on. */
static void once(int i)
{
#pragma omp flush
#pragma omp atomic
    done[i]++;
#pragma omp atomic
    ran[omp_get_thread_num()]++;
}

static int check(void)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += done[i] != 1;
        done[i] = 0;
    }
    return wrong;
}

static int fibonacci(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) final(n < 4)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 3)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static int recursion(void)
{
    int found = 0, alone = fibonacci(10);
#pragma omp parallel
#pragma omp single
    found = fibonacci(12);
    return (found != 144) + (alone != 55);
}

/* The barrier at the end of single waits for all. */
static int barrier(void)
{
    int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
#pragma omp single
        for (int i = 0; i < N; i++)
#pragma omp task firstprivate(i)
            once(i);
        int n = 0;
        for (int i = 0; i < N; i++)
            n += done[i];
        wrong += n != N;
    }
    return wrong + check();
}

/* Every thread makes tasks, which make tasks that nobody waits for but the group. */
static int groups(void)
{
    int wrong = 0, n = 0, all = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        int mine = 0;
#pragma omp taskgroup
        for (int i = 0; i < 5; i++)
#pragma omp task shared(mine) firstprivate(i)
        {
#pragma omp task shared(mine)
#pragma omp atomic
            mine += i;
#pragma omp atomic
            mine++;
        }
        wrong += mine != 15;
#pragma omp atomic
        all += mine;
#pragma omp single
        n = omp_get_num_threads();
    }
    return wrong + (all != 15 * n);
}

static int dependences(void)
{
    int wrong = 0, a = 0, b = 0, c = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= 10; i++) {
#pragma omp task depend(out : a) shared(a)
        a = i;
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
        b = a * 2;
#pragma omp task depend(in : a) depend(out : c) shared(a, c)
        c = a * 3;
#pragma omp task depend(in : b, c) shared(wrong, b, c)
        wrong += b != 2 * i || c != 3 * i;
    }
    return wrong + (a != 10);
}

static int loops(void)
{
    int wrong = 0, finals = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(7)
        for (int i = 0; i < N; i++)
            once(i);
        wrong += check();
#pragma omp taskloop num_tasks(11)
        for (unsigned long long i = N; i > 0; i -= 2) {
            once((int)i - 1);
            once((int)i - 2);
        }
        wrong += check();
#pragma omp task final(1)
        {
#pragma omp task
            finals += omp_in_final();
            finals += omp_in_final();
        }
    }
    return wrong + (finals != 2);
}

/* Data of many sizes, which are copied when the task is made. */
static int copies(void)
{
    struct {
        char bytes[100];
        double number;
    } large = { { 0 }, 0 };
    int wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 50; i++) {
        large.bytes[i] = (char)i;
        large.number = i * 0.5;
#pragma omp task firstprivate(large, i) shared(wrong)
        if (large.bytes[i] != i || large.bytes[i + 1] || large.number != i * 0.5)
#pragma omp atomic
            wrong++;
    }
    return wrong;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = { { "recursion", recursion },     { "barrier", barrier }, { "groups", groups },
                  { "dependences", dependences }, { "loops", loops },     { "copies", copies } };
    int wrong = 0, threads = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    for (int i = 0; i < MOST; i++)
        threads += ran[i] != 0;
    printf("tasks on %d threads: %d wrong, %d threads ran some\n", omp_get_max_threads(), wrong, threads);
    return wrong != 0;
}
