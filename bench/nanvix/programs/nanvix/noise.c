/* SPDX-License-Identifier: MIT */
/*
 * noise.c - measures how threads that call the kernel disturb a thread that computes, as Nanvix' benchmark noise.
 * `noise CALLERS [WORKERS]`: in each window a worker does 10,008 floating-point operations, nine in a turn, while
 * CALLERS other threads make remote calls; the windows begin when each caller has made one. Then the workers (one, if
 * not said otherwise) do the same without callers. Marks for the emulator's plugin: 1 and 2 around each window with
 * callers, 3 and 4 around each without. Between two windows a worker makes one remote call itself, because an emulator
 * may run a core until it waits.
 */
#include "../../../../user/programs/mark.h"
#include "../../../../user/programs/nanvix/measure.h"

#define OPERATIONS 10008

static uint32_t ended, calling;
static int callers, workers;
static volatile float result;

static void compute(void)
{
    float a = 1.0f, b = 1.5f;
    for (int i = 0; i < OPERATIONS; i += 9) {
        a = a * b + 0.5f;
        b = b * a - 2.5f;
        a = a * 0.25f + b;
        b = b - a * 0.125f;
        a = a + 1.0f;
    }
    result = a;
}

static void *work(void *alone)
{
    while (!alone && __atomic_load_n(&calling, __ATOMIC_ACQUIRE) < (uint32_t)callers)
        kcall0(NR_SYSCALLS);
    for (int i = -SKIP; i < NITERATIONS; i++) {
        if (alone) {
            MARK(3);
            compute();
            MARK(4);
        } else {
            MARK(1);
            compute();
            MARK(2);
        }
        kcall0(NR_SYSCALLS);
    }
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *call(void *unused)
{
    kcall0(NR_SYSCALLS);
    __atomic_fetch_add(&calling, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < (uint32_t)workers)
        kcall0(NR_SYSCALLS);
    return unused;
}

void ___start(int argc, const char *argv[], char **envp)
{
    static char alone;
    kthread_t worker[WORKERS], caller[WORKERS];
    UNUSED(envp);
    knoc_init();
    callers = number_of(argc > 1 ? argv[1] : NULL, WORKERS - 1);
    workers = number_of(argc > 2 ? argv[2] : NULL, 1);
    MUST(WITHIN(workers, 1, WORKERS + 1) && WITHIN(callers, 0, WORKERS + 1 - workers));
    for (int i = 0; i < workers; i++)
        MUST(kthread_create(&worker[i], work, NULL) == 0);
    for (int i = 0; i < callers; i++)
        MUST(kthread_create(&caller[i], call, NULL) == 0);
    for (int i = 0; i < workers; i++)
        MUST(kthread_join(worker[i], NULL) == 0);
    for (int i = 0; i < callers; i++)
        MUST(kthread_join(caller[i], NULL) == 0);
    for (int i = 0; i < workers; i++)
        MUST(kthread_create(&worker[i], work, &alone) == 0);
    for (int i = 0; i < workers; i++)
        MUST(kthread_join(worker[i], NULL) == 0);
    uprintf("noise: done");
}
