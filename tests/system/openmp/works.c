/* SPDX-License-Identifier: MIT */
/* Loops of all schedules, over int and over unsigned long long, ordered, sections, regions inside others, locks, time:
 * each part counts what is wrong. */
#include <omp.h>
#include <stdio.h>

#define MOST 48
#define N    500

static int done[N], next_of_order, order_wrong;

static void once(int i)
{
#pragma omp atomic
    done[i]++;
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

static int schedules(void)
{
    int wrong = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
        once(i);
    wrong += check();
#pragma omp parallel for schedule(dynamic, 7)
    for (int i = N - 1; i >= 0; i--)
        once(i);
    wrong += check();
#pragma omp parallel for schedule(guided, 3)
    for (int i = 0; i < N; i++)
        once(i);
    wrong += check();
#pragma omp parallel for schedule(auto)
    for (int i = 0; i < N; i++)
        once(i);
    wrong += check();
    for (unsigned kind = 1; kind <= 4; kind++) {
        omp_sched_t set;
        int chunk;
        omp_set_schedule((omp_sched_t)kind, 5);
        omp_get_schedule(&set, &chunk);
        wrong += set != (omp_sched_t)kind || chunk != 5;
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < N; i++)
            once(i);
        wrong += check();
    }
    return wrong;
}

/* Many loops without a barrier between them: threads are in different ones. */
static int nowait(void)
{
    int wrong = 0, sum = 0;
#pragma omp parallel
    for (int l = 0; l < 100; l++) {
#pragma omp for schedule(dynamic, 3) nowait
        for (int i = 0; i < 10; i++)
#pragma omp atomic
            sum += i;
#pragma omp single nowait
#pragma omp atomic
        sum++;
    }
    wrong += sum != 100 * 46;
    return wrong;
}

static int wide(void)
{
    unsigned long long first = 0xfffffffffffff000ull, n = 0;
    long long s = 0;
#pragma omp parallel for schedule(dynamic, 9) reduction(+ : n)
    for (unsigned long long i = first; i < first + 1000; i += 3)
        n += i - first;
#pragma omp parallel for schedule(guided) reduction(+ : s)
    for (long long i = 5000000000ll; i > 4999999000ll; i -= 4)
        s += 5000000000ll - i;
    return (n != 333ull * 334 / 2 * 3) + (s != 4ll * 249 * 250 / 2);
}

static void in_order(int i)
{
    order_wrong += i != next_of_order;
    next_of_order++;
}

static int ordered(void)
{
    order_wrong = next_of_order = 0;
#pragma omp parallel for ordered schedule(dynamic, 2)
    for (int i = 0; i < 100; i++) {
#pragma omp ordered
        in_order(i);
    }
#pragma omp parallel for ordered schedule(static)
    for (int i = 100; i < 200; i++) {
#pragma omp ordered
        in_order(i);
    }
#pragma omp parallel for ordered schedule(static, 3)
    for (int i = 200; i < 300; i++)
        if (i % 7) {
#pragma omp ordered
            in_order(i);
        } else {
#pragma omp ordered
            in_order(i);
        }
#pragma omp parallel for ordered schedule(guided)
    for (int i = 300; i < 400; i++) {
#pragma omp ordered
        in_order(i);
    }
    return order_wrong + (next_of_order != 400);
}

static int sections(void)
{
    int a = 0, b = 0, c = 0, d = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a++;
#pragma omp section
        b += 2;
#pragma omp section
        c += 3;
    }
#pragma omp parallel
#pragma omp sections lastprivate(d)
    {
#pragma omp section
        a++;
#pragma omp section
        d = 9;
    }
    return (a != 2) + (b != 2) + (c != 3) + (d != 9);
}

static int nested(void)
{
    int wrong = 0, inner = 0, n = 1;
#pragma omp parallel reduction(+ : wrong)
    {
        int outer = omp_get_thread_num(), sum = 0;
#pragma omp single
        n = omp_get_num_threads();
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            if (omp_get_level() != 2 || omp_get_ancestor_thread_num(1) != outer || omp_get_num_threads() != 1)
                sum += 1000;
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 10; i++)
                sum += i;
#pragma omp single
            sum += 100;
#pragma omp atomic
            inner++;
        }
        wrong += sum != 145;
#pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < N; i++)
            once(i);
    }
    return wrong + check() + (inner != n);
}

static int locks(void)
{
    omp_lock_t lock, many[20];
    omp_nest_lock_t nest;
    int n = 0, deep = 0, threads = 0, tested = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (int i = 0; i < 20; i++)
        omp_init_lock(&many[i]);
    for (int i = 0; i < 20; i++)
        omp_destroy_lock(&many[i]);
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int i = 0; i < 10; i++) {
            omp_set_lock(&lock);
            n++;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            deep += omp_test_nest_lock(&nest) == 3;
            for (int k = 0; k < 3; k++)
                omp_unset_nest_lock(&nest);
        }
        if (omp_test_lock(&lock)) {
            tested++;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return (n != 10 * threads) + (deep != 10 * threads) + (tested < 1 || tested > threads);
}

static int elapsed(void)
{
    double start = omp_get_wtime(), last = start;
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        double now = omp_get_wtime();
        wrong += now < last;
        last = now;
    }
    return wrong + (last <= start) + (last - start > 60) + (omp_get_wtick() <= 0 || omp_get_wtick() > 1e-6);
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = { { "schedules", schedules }, { "nowait", nowait }, { "wide", wide },   { "ordered", ordered },
                  { "sections", sections },   { "nested", nested }, { "locks", locks }, { "elapsed", elapsed } };
    int wrong = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    printf("works on %d threads: %d wrong\n", omp_get_max_threads(), wrong);
    return wrong != 0;
}
