/* SPDX-License-Identifier: MIT */
/*
 * fork-join.c - measures threads, as Nanvix' benchmark fork-join. `fork-join THREADS` creates 1 to THREADS threads that
 * return at once, in one window, and joins them in another. `spawn-N` and `join-N` are the times for one of N threads;
 * `spawn-first` is the time of the process's first thread, whose stack had to be allocated. Marks for the emulator's
 * plugin: 1 and 2 around each window of creating, 3 and 4 around each of joining.
 */
#include "../mark.h"
#include "measure.h"

static struct samples spawn, join, empty;

static void *leave(void *unused) { return unused; }

static void measure(int n)
{
    kthread_t tid[WORKERS];
    char name[32];
    for (int i = -SKIP; i < NITERATIONS; i++) {
        window_start();
        MARK(1);
        for (int k = 0; k < n; k++)
            MUST(kthread_create(&tid[k], leave, NULL) == 0);
        MARK(2);
        window_end(&spawn, i);
        window_start();
        MARK(3);
        for (int k = 0; k < n; k++)
            MUST(kthread_join(tid[k], NULL) == 0);
        MARK(4);
        window_end(&join, i);
    }
    usprintf(name, "spawn-%d", n);
    report(name, &spawn, empty.of[0], (unsigned long)n);
    usprintf(name, "join-%d", n);
    report(name, &join, empty.of[0], (unsigned long)n);
}

static void first(void)
{
    kthread_t tid;
    window_start();
    MUST(kthread_create(&tid, leave, NULL) == 0);
    window_end(&spawn, 0);
    MUST(kthread_join(tid, NULL) == 0);
    uprintf("bench spawn-first %lu", (unsigned long)spawn.of[0]);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    int most = number_of(argc > 1 ? argv[1] : NULL, WORKERS);
    MUST(WITHIN(most, 1, WORKERS + 1));
    first();
    for (int i = -SKIP; i < NITERATIONS; i++) {
        window_start();
        window_end(&empty, i);
    }
    sort_samples(&empty);
    for (int n = 1; n <= most; n++)
        measure(n);
    uprintf("fork-join: done");
}
