/* SPDX-License-Identifier: MIT */
/*
 * noise.c - what a thread that computes notices of threads that call the kernel, as Nanvix' benchmark noise: `noise
 * CALLERS`. A worker does 10,008 operations on floating-point numbers, nine a turn, in each of its windows, while so
 * many other threads make remote calls without an end, from when each has made one; then again without them. Marks for
 * the emulator's plugin: 1 and 2 around each window beside the callers, 3 and 4 around each window alone. Between two
 * windows the worker makes one remote call itself, so that callers get on where an emulator runs a core until it waits.
 */
#include "../mark.h"
#include "measure.h"

#define OPERATIONS 10008

static uint32_t end, calling;
static int callers;
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
        kcall0(NR_SYSCALLS); /* a thread's stack is mapped when it is made, which interrupts all */
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
    __atomic_store_n(&end, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *call(void *unused)
{
    kcall0(NR_SYSCALLS);
    __atomic_fetch_add(&calling, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&end, __ATOMIC_ACQUIRE))
        kcall0(NR_SYSCALLS);
    return unused;
}

void ___start(int argc, const char *argv[], char **envp)
{
    static char alone;
    kthread_t worker, caller[WORKERS];
    UNUSED(envp);
    knoc_init();
    callers = number_of(argc > 1 ? argv[1] : NULL, WORKERS - 1);
    MUST(WITHIN(callers, 0, WORKERS));
    MUST(kthread_create(&worker, work, NULL) == 0);
    for (int i = 0; i < callers; i++)
        MUST(kthread_create(&caller[i], call, NULL) == 0);
    MUST(kthread_join(worker, NULL) == 0);
    for (int i = 0; i < callers; i++)
        MUST(kthread_join(caller[i], NULL) == 0);
    MUST(kthread_create(&worker, work, &alone) == 0);
    MUST(kthread_join(worker, NULL) == 0);
    uprintf("noise: done");
}
