/* SPDX-License-Identifier: MIT */
/* Regions, barriers, critical, single, master, static loops, reductions, atomic operations, flush, threadprivate: each
 * part counts what is wrong. What it prints is the same on any number of cores, but for that number. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 48
#define N    600

static int own[MOST];
static double row[N], sums[MOST];
static int mine = 7;
#pragma omp threadprivate(mine)

static int regions(void)
{
    int wrong = 0, n = omp_get_max_threads(), here = 5;
    for (int t = 1; t <= n; t++) {
        for (int i = 0; i < MOST; i++)
            own[i] = -1;
#pragma omp parallel num_threads(t) firstprivate(here)
        {
            own[omp_get_thread_num()] = omp_get_thread_num() + here;
            if (omp_get_num_threads() != t || omp_in_parallel() != (t > 1) || omp_get_level() != 1)
                own[omp_get_thread_num()] = -2;
        }
        for (int i = 0; i < MOST; i++)
            wrong += own[i] != (i < t ? i + here : -1);
    }
    return wrong + (omp_get_num_threads() != 1) + omp_in_parallel();
}

/* Each phase reads what the neighbour wrote in the last one. */
static int barriers(void)
{
    int wrong = 0;
    for (int i = 0; i < MOST; i++)
        own[i] = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
        for (int phase = 1; phase <= 20; phase++) {
            own[me] = phase;
#pragma omp barrier
            wrong += own[next] != phase;
#pragma omp barrier
        }
    }
    return wrong;
}

static int critical(void)
{
    int first = 0, second = 0, n = 0, singles = 0, masters = 0, copied = 0;
#pragma omp parallel
    {
        int value = 0;
        for (int i = 0; i < 20; i++) {
#pragma omp critical
            first++;
#pragma omp critical(other)
            second += 2;
        }
#pragma omp single
        {
            singles++;
            n = omp_get_num_threads();
        }
#pragma omp single nowait
        singles++;
#pragma omp master
        masters++;
#pragma omp single copyprivate(value)
        value = 42;
#pragma omp atomic
        copied += value;
    }
    return (first != 20 * n) + (second != 40 * n) + (singles != 2) + (masters != 1) + (copied != 42 * n);
}

static int loops(void)
{
    int wrong = 0, last = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        row[i] = sqrt(i);
#pragma omp parallel for schedule(static, 7) lastprivate(last)
    for (int i = N - 1; i >= 0; i -= 2) {
        row[i] += 1;
        last = i;
    }
    for (int i = 0; i < N; i++)
        wrong += row[i] != sqrt(i) + i % 2;
    return wrong + (last != 1);
}

/* Sums of small integers are exact in any order; those of each thread are added in the order of threads. */
static int reductions(void)
{
    double sum = 0, largest = 0, ordered = 0, alone = 0;
    long product = 1;
    int all = -1, n = 1;
#pragma omp parallel for reduction(+ : sum) reduction(max : largest) reduction(& : all)
    for (int i = 0; i < N; i++) {
        sum += i;
        largest = fmax(largest, row[i]);
        all &= i | 8;
    }
#pragma omp parallel for reduction(* : product)
    for (int i = 1; i < 10; i++)
        product *= i;
    for (int i = 0; i < MOST; i++)
        sums[i] = 0;
#pragma omp parallel
    {
        double part = 0;
#pragma omp for
        for (int i = 0; i < N; i++)
            part += row[i];
        sums[omp_get_thread_num()] = part;
#pragma omp single
        n = omp_get_num_threads();
    }
    for (int i = 0; i < n; i++)
        ordered += sums[i];
    for (int i = 0; i < N; i++)
        alone += row[i];
    return (sum != N * (N - 1) / 2.0) + (largest != row[N - 1]) + (all != 8) + (product != 362880) +
           (fabs(ordered - alone) > 1e-9);
}

static int atomics(void)
{
    int wrong = 0, n = 0, tickets = 0;
    short bits = 0;
    long long big = 0;
    double real = 0;
    static int seen[MOST * 10];
    for (int i = 0; i < MOST * 10; i++)
        seen[i] = 0;
#pragma omp parallel
    {
        for (int i = 0; i < 10; i++) {
            int ticket;
#pragma omp atomic capture
            ticket = tickets++;
            seen[ticket]++;
#pragma omp atomic
            big += 1ll << 33;
#pragma omp atomic
            real += 0.5;
        }
#pragma omp atomic
        bits |= 1 << omp_get_thread_num() % 8;
#pragma omp single
        n = omp_get_num_threads();
    }
    for (int i = 0; i < 10 * n; i++)
        wrong += seen[i] != 1;
    return wrong + (big != 10ll * n << 33) + (real != 5.0 * n) + (bits != (n < 8 ? (1 << n) - 1 : 255));
}

/* A message by a flag, as OpenMP has it: the flag by atomic operations, the data by flush. */
static int flushes(void)
{
    int wrong = 0, flag = 0, data = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 1; i <= 20; i++) {
                data = i * 3;
#pragma omp flush
#pragma omp atomic write
                flag = 2 * i - 1;
                for (int now = 0; now != 2 * i && omp_get_num_threads() == 2;)
#pragma omp atomic read
                    now = flag;
            }
        } else {
            for (int i = 1; i <= 20; i++) {
                for (int now = 0; now != 2 * i - 1;)
#pragma omp atomic read
                    now = flag;
#pragma omp flush
                wrong += data != i * 3;
#pragma omp atomic write
                flag = 2 * i;
            }
        }
    }
    return wrong;
}

static int threads_own(void)
{
    int wrong = 0;
    mine = 100;
#pragma omp parallel copyin(mine) reduction(+ : wrong)
    {
        mine += omp_get_thread_num();
        errno = omp_get_thread_num();
#pragma omp barrier
        wrong += mine != 100 + omp_get_thread_num();
        wrong += errno != omp_get_thread_num();
    }
#pragma omp parallel reduction(+ : wrong)
    wrong += mine != 100 + omp_get_thread_num();
    return wrong;
}

/* Memory that each thread has and another one gives back. */
static int heap(void)
{
    int wrong = 0;
    static int *piece[MOST];
#pragma omp parallel reduction(+ : wrong)
    {
        int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
        for (int round = 0; round < 5; round++) {
            piece[me] = malloc((size_t)(round + 1) * 100);
            for (int i = 0; i < 25 * (round + 1); i++)
                piece[me][i] = me;
#pragma omp barrier
            for (int i = 0; i < 25 * (round + 1); i++)
                wrong += piece[next][i] != next;
            free(piece[next]);
#pragma omp barrier
        }
    }
    return wrong;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = { { "regions", regions }, { "barriers", barriers },        { "critical", critical },
                  { "loops", loops },     { "reductions", reductions },    { "atomics", atomics },
                  { "flushes", flushes }, { "threads' own", threads_own }, { "heap", heap } };
    int wrong = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    printf("regions on %d threads: %d wrong\n", omp_get_max_threads(), wrong);
    return wrong != 0;
}
