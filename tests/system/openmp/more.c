/* SPDX-License-Identifier: MIT */
/* Teams, allocators, reductions of tasks, detached tasks, cancel while it is off, affinity, places; each part counts
 * what is wrong. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 200

/* Each team does its part of a loop with threads of its own. */
static int teams(void)
{
    int wrong = 0, done[N] = { 0 }, seen = 0, threads = 0, most = omp_get_max_threads();
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : seen)
    {
        seen += omp_get_num_teams() == 3 ? 1 << 4 * omp_get_team_num() : 0;
#pragma omp distribute parallel for
        for (int i = 0; i < N; i++)
#pragma omp atomic
            done[i] += omp_get_team_num() + 1;
#pragma omp parallel
#pragma omp single
#pragma omp atomic
        threads += omp_get_num_threads();
    }
    for (int i = 0; i < N; i++)
        wrong += done[i] != i / ((N + 2) / 3) + 1;
    wrong += seen != 0x111 || threads != 3 * (most < 2 ? most : 2);
    return wrong + (omp_get_num_teams() != 1) + (omp_get_team_num() != 0) + (omp_get_max_threads() != most);
}

static int allocators(void)
{
    static const omp_alloctrait_t traits[] = { { omp_atk_alignment, 256 }, { omp_atk_fallback, omp_atv_null_fb } };
    omp_allocator_handle_t own = omp_init_allocator(omp_default_mem_space, 2, traits);
    volatile size_t huge = 8;
    int wrong = 0, *first = omp_alloc(100 * sizeof(int), own),
        *zeros = omp_calloc(50, sizeof(int), omp_default_mem_alloc);
    wrong += !first || (unsigned long)first % 256 || !zeros;
    for (int i = 0; i < 100; i++)
        first[i] = i;
    first = omp_realloc(first, 400 * sizeof(int), own, own);
    for (int i = 0; i < 100; i++)
        wrong += first[i] != i || (i < 50 && zeros[i]);
    wrong += omp_alloc(-huge, own) || omp_calloc(huge << 14, huge << 14, own) || omp_alloc(1 << 30, own) ||
             omp_alloc(0, own);
    wrong += (unsigned long)omp_aligned_alloc(1024, 8, omp_null_allocator) % 1024 != 0 || omp_aligned_alloc(24, 8, own);
    omp_set_default_allocator(own);
    wrong += omp_get_default_allocator() != own || (unsigned long)omp_alloc(8, omp_null_allocator) % 256;
    omp_set_default_allocator(omp_default_mem_alloc);
#pragma omp parallel reduction(+ : wrong)
    {
        int mine[20], me = omp_get_thread_num();
#pragma omp parallel for private(mine) allocate(omp_default_mem_alloc : mine) reduction(+ : wrong)
        for (int i = 0; i < 20; i++) {
            mine[i] = me + i;
            wrong += mine[i] != me + i;
        }
    }
    omp_free(first, own);
    omp_free(zeros, omp_default_mem_alloc);
    omp_free(NULL, own);
    omp_destroy_allocator(own);
    return wrong;
}

static int reductions(void)
{
    int wrong = 0, sum = 1, nested = 0, looped = 5;
    double product = 1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product)
        {
            for (int i = 1; i <= 50; i++) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product) firstprivate(i)
                {
                    sum += i;
                    product *= i % 5 == 0 ? 2 : 1;
#pragma omp task in_reduction(+ : sum)
                    sum += 1000;
#pragma omp taskwait
                }
            }
#pragma omp taskgroup task_reduction(+ : nested)
            for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : nested, sum)
                {
                    nested += 3;
                    sum += 7;
                }
            }
        }
#pragma omp taskloop reduction(+ : looped) grainsize(3)
        for (int i = 0; i < N; i++)
            looped += i;
#pragma omp taskloop reduction(+ : looped) num_tasks(7)
        for (unsigned long long i = 0; i < N; i++)
            looped += (int)i;
    }
    wrong += sum != 1 + 50 * 51 / 2 + 50 * 1000 + 20 * 7;
    wrong += product != 1024;
    return wrong + (nested != 60) + (looped != 5 + N * (N - 1));
}

/* Another task fulfils the event, before or after the detached one has run; who waits for the group waits for it. */
static int detached(void)
{
    int wrong = 0, after = 0, ran = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
        omp_event_handle_t event;
        int before = after;
#pragma omp taskgroup
        {
#pragma omp task detach(event) shared(ran)
#pragma omp atomic
            ran++;
#pragma omp task firstprivate(event) shared(after)
            {
#pragma omp atomic
                after++;
                omp_fulfill_event(event);
            }
        }
        wrong += after != before + 1 || ran != i + 1;
    }
    return wrong;
}

static int cancels(void)
{
    int n = 0, groups = 0;
#pragma omp parallel
#pragma omp for reduction(+ : n)
    for (int i = 0; i < N; i++) {
#pragma omp cancel for if (i == 10)
        n++;
#pragma omp cancellation point for
    }
#pragma omp parallel
    {
#pragma omp barrier
#pragma omp cancel parallel
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp cancel sections
#pragma omp atomic
                groups++;
    }
}
#pragma omp single
#pragma omp taskgroup
#pragma omp task
{
#pragma omp cancel taskgroup
#pragma omp atomic
    groups++;
}
}
return (n != N) + (groups != 2) + omp_get_cancellation();
}

/* Returns whether a format does not become `expected`. */
static int is_not(const char *format, const char *expected)
{
    char text[40];
    size_t length = omp_capture_affinity(text, sizeof(text), format);
    return length != strlen(expected) || strcmp(text, expected);
}

static int affinity(void)
{
    static const char format[] = "<%0.4n|%3L|%.3{nesting_level}|%{host}|%%|%x|%{no}>";
    int wrong = 0, cores = 0;
    char text[8];
    wrong += omp_capture_affinity(text, sizeof(text), "0123456789%L") != 11 || strcmp(text, "0123456");
    wrong += is_not("100%", "100undefined") + is_not("%5", "undefined") + is_not("%{host", "undefinedhost");
    omp_set_affinity_format(format);
    wrong += omp_get_affinity_format(text, sizeof(text)) != strlen(format) || strcmp(text, "<%0.4n|");
#pragma omp parallel reduction(+ : wrong, cores)
    {
        char expected[60], own[60], core[8];
        snprintf(expected, sizeof(expected), "<%04d|1  |  1|scc|%%|undefined|undefined>", omp_get_thread_num());
        omp_capture_affinity(own, sizeof(own), NULL);
        wrong += strcmp(own, expected) != 0;
        omp_capture_affinity(core, sizeof(core), "%i%A");
        cores += atoi(core);
    }
    omp_display_affinity("affinity: thread %n of %N");
    return wrong + (cores == 0) - (omp_get_max_threads() == 1);
}

static int calls(void)
{
    int threads = 0;
    omp_set_num_threads(1000);
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    omp_set_num_threads(omp_get_num_procs());
    omp_display_env(0);
    return (threads != omp_get_num_procs()) + (omp_get_proc_bind() != omp_proc_bind_false) + omp_get_num_places() +
           (omp_get_place_num() != -1) + omp_get_num_devices() + (omp_get_initial_device() != 0) +
           (omp_pause_resource_all(omp_pause_soft) != 0);
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } parts[] = { { "teams", teams },       { "allocators", allocators }, { "reductions", reductions },
                  { "detached", detached }, { "cancels", cancels },       { "affinity", affinity },
                  { "calls", calls } };
    int wrong = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int found = parts[i].run();
        printf("%s: %d wrong\n", parts[i].name, found);
        wrong += found;
    }
    printf("more on %d threads: %d wrong\n", omp_get_max_threads(), wrong);
    return wrong != 0;
}
