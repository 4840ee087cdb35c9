/* SPDX-License-Identifier: MIT */
/*
 * kcall.c - measures kernel calls, as Nanvix' benchmarks kcall-local and kcall-remote. `kcall THREADS [FIRST [CALLS]]`
 * makes calls from FIRST (1) to THREADS threads at once. A window has CALLS (1,000) calls; the time of an empty loop is
 * subtracted. In a cluster the remote call goes to the master core; elsewhere the kernel refuses it. Marks for the
 * emulator's plugin: 1 and 2 around each window of remote calls, 3 and 4 of local ones, 5 and 6 of the empty loop.
 */
#include <nanvix/runtime/fence.h>

#include "../../../../user/programs/mark.h"
#include "../../../../user/programs/nanvix/measure.h"

static struct fence_t together;
static struct samples local[WORKERS], remote[WORKERS];
static struct samples nothing;
static int calls = BATCH; /* in a window */

#define MEASURE(samples, mark, call)                                                                                   \
    for (int i = -SKIP; i < NITERATIONS; i++) {                                                                        \
        window_start();                                                                                                \
        MARK(mark);                                                                                                    \
        for (int n = 0; n < calls; n++) {                                                                              \
            call;                                                                                                      \
            noop();                                                                                                    \
        }                                                                                                              \
        MARK((mark) + 1);                                                                                              \
        window_end(samples, i);                                                                                        \
    }

static void *call(void *number)
{
    fence(&together);
    MEASURE(&local[(long)number], 3, kcall0(NR_thread_get_id));
    fence(&together);
    MEASURE(&remote[(long)number], 1, kcall0(NR_SYSCALLS));
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
    report(name, &local[0], nothing.of[0], (unsigned long)calls);
    usprintf(name, "kcall-remote-%d", n);
    report(name, &remote[0], nothing.of[0], (unsigned long)calls);
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(envp);
    knoc_init();
    int most = number_of(argc > 1 ? argv[1] : NULL, WORKERS);
    int first = number_of(argc > 2 ? argv[2] : NULL, 1);
    calls = number_of(argc > 3 ? argv[3] : NULL, BATCH);
    MUST(WITHIN(most, 1, WORKERS + 1) && WITHIN(first, 1, most + 1) && WITHIN(calls, 1, BATCH + 1));
    MEASURE(&nothing, 5, noop());
    sort_samples(&nothing);
    for (int n = first; n <= most; n++)
        measure(n);
    uprintf("kcall: done");
}
