/* SPDX-License-Identifier: MIT */
/*
 * semaphores.c - checks the semaphores of a cluster's master (amalgam/remote.h). arguments: [semaphores]: right and
 * wrong values of every argument, the order of waiters, signals, all that the process may have; [semaphores, rounds,
 * N]: THREADS threads count N times each under one that is a mutex. The last line says whether all was right.
 */
#include <amalgam/remote.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#define PROGRAM "semaphores"
#include "../../user/programs/must.h"

#define THREADS 4
#define MOST    128 /* that there are */

static unsigned the;
static unsigned order[THREADS], n_order;
static int64_t result;
static unsigned long counted;

static void rest(void) { amalgam_sleep_until(amalgam_clock() + 1000000); }

static int64_t create(uint32_t value, uint32_t most) { return amalgam_semaphore_create(value, most); }

static void wrong_values(void)
{
    MUST(create(0, 0) == -AMALGAM_EINVAL && create(2, 1) == -AMALGAM_EINVAL);
    unsigned id = (unsigned)RESULT(create(1, 1)), none = id == MOST - 1 ? 0 : MOST - 1;
    MUST(amalgam_semaphore_up(id) == -AMALGAM_ENOSPC);
    const unsigned bad[] = { none, MOST, 0xffff };
    for (unsigned i = 0; i < 3; i++) {
        MUST(amalgam_semaphore_up(bad[i]) == -AMALGAM_EBADF && amalgam_semaphore_down(bad[i]) == -AMALGAM_EBADF);
        MUST(amalgam_semaphore_try_down(bad[i]) == -AMALGAM_EBADF);
        MUST(amalgam_semaphore_close(bad[i]) == -AMALGAM_EBADF);
    }
    MUST(amalgam_semaphore_down(0x10000) == -AMALGAM_ERANGE && amalgam_semaphore_up(~0u) == -AMALGAM_ERANGE);
    MUST(amalgam_semaphore_close(id) == 0 && amalgam_semaphore_close(id) == -AMALGAM_EBADF);
    MUST(amalgam_semaphore_down(id) == -AMALGAM_EBADF);
}

static void values(void)
{
    unsigned id = (unsigned)RESULT(create(2, 3));
    MUST(amalgam_semaphore_down(id) == 0 && amalgam_semaphore_try_down(id) == 0);
    MUST(amalgam_semaphore_try_down(id) == -AMALGAM_EAGAIN);
    for (int i = 0; i < 3; i++)
        MUST(amalgam_semaphore_up(id) == 0);
    MUST(amalgam_semaphore_up(id) == -AMALGAM_ENOSPC);
    for (int i = 0; i < 3; i++)
        MUST(amalgam_semaphore_down(id) == 0);
    MUST(amalgam_semaphore_try_down(id) == -AMALGAM_EAGAIN && amalgam_semaphore_close(id) == 0);
    id = (unsigned)RESULT(create(~0u, ~0u));
    MUST(amalgam_semaphore_up(id) == -AMALGAM_ENOSPC && amalgam_semaphore_down(id) == 0);
    MUST(amalgam_semaphore_up(id) == 0 && amalgam_semaphore_close(id) == 0);
}

static void *wait_in_order(void *number)
{
    MUST(amalgam_semaphore_down(the) == 0);
    order[__atomic_fetch_add(&n_order, 1, __ATOMIC_RELAXED)] = (unsigned)(uintptr_t)number;
    return NULL;
}

/* Who waits longest is the first, and nobody who comes later takes what it was given. */
static void waiters(void)
{
    pthread_t thread[THREADS];
    the = (unsigned)RESULT(create(0, 1));
    for (uintptr_t i = 0; i < THREADS; i++) {
        MUST(!pthread_create(&thread[i], NULL, wait_in_order, (void *)i));
        rest();
    }
    MUST(amalgam_semaphore_close(the) == -AMALGAM_EBUSY);
    for (unsigned i = 0; i < THREADS; i++) {
        MUST(amalgam_semaphore_up(the) == 0 && amalgam_semaphore_try_down(the) == -AMALGAM_EAGAIN);
        rest();
        MUST(n_order == i + 1 && order[i] == i);
    }
    for (unsigned i = 0; i < THREADS; i++)
        MUST(!pthread_join(thread[i], NULL));
    MUST(amalgam_semaphore_close(the) == 0);
}

static void nothing(int number) { (void)number; }

static void *wait_for_signal(void *arg)
{
    (void)arg;
    result = amalgam_semaphore_down(the);
    return NULL;
}

/* It has taken nothing, and is in the queue no more. */
static void signals(void)
{
    pthread_t thread;
    struct sigaction act = { .sa_handler = nothing };
    MUST(!sigaction(SIGUSR1, &act, NULL));
    the = (unsigned)RESULT(create(0, 1));
    MUST(!pthread_create(&thread, NULL, wait_for_signal, NULL));
    rest();
    MUST(!pthread_kill(thread, SIGUSR1) && !pthread_join(thread, NULL) && result == -AMALGAM_EINTR);
    MUST(amalgam_semaphore_up(the) == 0 && amalgam_semaphore_try_down(the) == 0 && amalgam_semaphore_close(the) == 0);
}

/* Returns how many it may have. */
static unsigned all(void)
{
    unsigned n = 0, id[MOST + 1];
    int64_t last;
    while ((last = create(1, 1)) >= 0) {
        MUST(n < MOST && last < MOST);
        id[n++] = (unsigned)last;
    }
    MUST(last == -AMALGAM_EAGAIN);
    for (unsigned i = 0; i < n; i++)
        MUST(amalgam_semaphore_down(id[i]) == 0 && amalgam_semaphore_close(id[i]) == 0);
    return n;
}

static void *count(void *arg)
{
    for (unsigned long n = (unsigned long)arg; n--;) {
        MUST(amalgam_semaphore_down(the) == 0);
        unsigned long before = *(volatile unsigned long *)&counted;
        *(volatile unsigned long *)&counted = before + 1;
        MUST(amalgam_semaphore_up(the) == 0);
    }
    return NULL;
}

static void rounds(unsigned long n)
{
    pthread_t thread[THREADS];
    the = (unsigned)RESULT(create(1, 1));
    for (unsigned i = 0; i < THREADS; i++)
        MUST(!pthread_create(&thread[i], NULL, count, (void *)n));
    for (unsigned i = 0; i < THREADS; i++)
        MUST(!pthread_join(thread[i], NULL));
    MUST(counted == THREADS * n && amalgam_semaphore_close(the) == 0);
}

int main(int argc, char **argv)
{
    if (amalgam_semaphore_up(0) == -AMALGAM_ENOSYS) {
        printf("semaphores: this kernel has none\n");
        return 2;
    }
    if (argc > 2 && !strcmp(argv[1], "rounds")) {
        rounds(strtoul(argv[2], NULL, 10));
        printf("semaphores: right, counted to %lu\n", counted);
        return 0;
    }
    wrong_values();
    values();
    waiters();
    signals();
    rounds(100);
    printf("semaphores: right, %u of %u\n", all(), MOST);
    return 0;
}
