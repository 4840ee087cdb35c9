/* SPDX-License-Identifier: MIT */
/*
 * semaphorecost.c - what a semaphore of a cluster's master costs (amalgam/remote.h), in windows between two marks of
 * the emulator's plugin (tools/plugin): 1 and 2: one thread's operations, up and down by turns. 3 and 4: two threads
 * that each wait for the other's. 5 and 6: those of a thread, beside others that wait for semaphores that nobody gives.
 * 7 and 8: those of THREADS threads at the same time, each of a semaphore of its own. Each window has BATCH operations.
 */
#include <amalgam/remote.h>
#include <pthread.h>

#include "../../../user/programs/mark.h"

#define PROGRAM "semaphorecost"
#include "../../../user/programs/must.h"

#define THREADS 14
#define WINDOWS 40
#define BATCH   20
#define WAIT    10 /* threads that wait in 5 and 6 */

static unsigned own[THREADS], never, ping, pong;
static uint32_t here, go;

static unsigned create(void) { return (unsigned)RESULT(amalgam_semaphore_create(0, 1)); }

static inline void operations(unsigned id)
{
    for (unsigned i = 0; i < BATCH / 2; i++) {
        amalgam_semaphore_up(id);
        amalgam_semaphore_down(id);
    }
}

static void *answer(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < WINDOWS * BATCH / 2; i++) {
        amalgam_semaphore_down(ping);
        amalgam_semaphore_up(pong);
    }
    return NULL;
}

static void *wait_for_ever(void *arg)
{
    (void)arg;
    amalgam_semaphore_down(never);
    return NULL;
}

static void *all_at_once(void *number)
{
    unsigned id = own[(uintptr_t)number];
    __atomic_add_fetch(&here, 1, __ATOMIC_ACQ_REL);
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
        amalgam_wait(&go, 0, AMALGAM_NEVER);
    for (unsigned i = 0; i < WINDOWS; i++) {
        MARK(7);
        operations(id);
        MARK(8);
    }
    return NULL;
}

static pthread_t thread[THREADS];

static void start(unsigned n, void *(*run)(void *))
{
    for (uintptr_t i = 0; i < n; i++)
        MUST(!pthread_create(&thread[i], NULL, run, (void *)i));
}

static void join(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        MUST(!pthread_join(thread[i], NULL));
}

int main(void)
{
    never = create(), ping = create(), pong = create();
    for (unsigned i = 0; i < THREADS; i++)
        own[i] = create();
    for (unsigned i = 0; i < WINDOWS; i++) {
        MARK(1);
        operations(own[0]);
        MARK(2);
    }
    start(1, answer);
    for (unsigned i = 0; i < WINDOWS; i++) {
        MARK(3);
        for (unsigned n = 0; n < BATCH / 2; n++) {
            amalgam_semaphore_up(ping);
            amalgam_semaphore_down(pong);
        }
        MARK(4);
    }
    join(1);
    start(WAIT, wait_for_ever);
    amalgam_sleep_until(amalgam_clock() + 1000000);
    for (unsigned i = 0; i < WINDOWS; i++) {
        MARK(5);
        operations(own[0]);
        MARK(6);
    }
    for (unsigned i = 0; i < WAIT; i++)
        amalgam_semaphore_up(never);
    join(WAIT);
    start(THREADS, all_at_once);
    while (__atomic_load_n(&here, __ATOMIC_ACQUIRE) != THREADS)
        amalgam_yield();
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    amalgam_wake(&go, THREADS);
    join(THREADS);
    printf("semaphorecost: done\n");
    return 0;
}
