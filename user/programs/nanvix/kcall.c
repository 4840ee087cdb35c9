/* SPDX-License-Identifier: MIT */
/*
 * kcall.c - what a kernel call costs, as Nanvix' benchmarks kcall-local and kcall-remote: `kcall THREADS` calls from
 * one to so many threads at once. A window holds BATCH calls; that of an empty loop is taken off. In a cluster the
 * remote call is one of the master core; elsewhere the kernel answers that there is none.
 */
#include <nanvix/runtime/fence.h>

#include "measure.h"

static struct fence_t together;
static struct samples local[WORKERS], remote[WORKERS];
static struct samples nothing;

#define MEASURE(samples, call)                                                                                         \
    for (int i = -SKIP; i < NITERATIONS; i++) {                                                                        \
        window_start();                                                                                                \
        for (int n = 0; n < BATCH; n++) {                                                                              \
            call;                                                                                                      \
            noop();                                                                                                    \
        }                                                                                                              \
        window_end(samples, i);                                                                                        \
    }

static void *call(void *number)
{
    fence(&together);
    MEASURE(&local[(long)number], kcall0(NR_thread_get_id));
    fence(&together);
    MEASURE(&remote[(long)number], kcall0(NR_SYSCALLS));
    return NULL;
}

static void measure(int n)
{
    kthread_t tid[WORKERS];
    char name[32];
    fence_init(&together, n);
    for (long i = 0; i < n; i++)
        MUST(kthread_create(&tid[i], call, (void *)i) == 0);
    for (int i = 0; i < n; i++)
        MUST(kthread_join(tid[i], NULL) == 0);
    usprintf(name, "kcall-local-%d", n);
    report(name, &local[0], nothing.of[0], BATCH);
    usprintf(name, "kcall-remote-%d", n);
    report(name, &remote[0], nothing.of[0], BATCH);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    int most = number_of(argc > 1 ? argv[1] : NULL, WORKERS);
    MUST(WITHIN(most, 1, WORKERS + 1));
    MEASURE(&nothing, noop());
    sort_samples(&nothing);
    for (int n = 1; n <= most; n++)
        measure(n);
    uprintf("kcall: done");
}
