/* SPDX-License-Identifier: MIT */
/*
 * affinity.c - starts as many threads on each core of the process as it may have there, all at once. Each reports the
 * core that it is on. The last line says whether all was right.
 */
#include <amalgam/calls.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define MOST 64

static uint32_t gate; /* 0: threads wait here */

static void *report(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&gate, __ATOMIC_ACQUIRE))
        amalgam_wait(&gate, 0, AMALGAM_NEVER);
    return (void *)(size_t)sched_getcpu();
}

/* Returns how many threads of the process can be on that core, without the first thread: thread N is on core N modulo
 * cores. */
static unsigned expected(unsigned core, unsigned cores, unsigned threads)
{
    unsigned n = 0;
    for (unsigned i = 1; i < threads; i++)
        n += i % cores == core;
    return n;
}

/* Start threads on `core` until there are no more. Returns how many ran there, plus MOST if one ran elsewhere. */
static unsigned fill(unsigned core)
{
    pthread_t thread[MOST];
    pthread_attr_t attr;
    cpu_set_t set;
    unsigned n = 0, wrong = 0;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    pthread_attr_init(&attr);
    pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
    __atomic_store_n(&gate, 0, __ATOMIC_RELEASE);
    while (n < MOST && !pthread_create(&thread[n], &attr, report, NULL))
        n++;
    __atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
    amalgam_wake(&gate, MOST);
    for (unsigned i = 0; i < n; i++) {
        void *where;
        pthread_join(thread[i], &where);
        wrong += where != (void *)(size_t)core;
    }
    printf("affinity: core %u: %u threads, %u of them elsewhere\n", core, n, wrong);
    return n + wrong * MOST;
}

/* Try a set without a core of the process, and an empty set: both must be refused. */
static int refusals(unsigned cores)
{
    pthread_t thread;
    pthread_attr_t attr;
    cpu_set_t none = { 0 }, foreign = { 1u << cores };
    pthread_attr_init(&attr);
    int right = pthread_attr_setaffinity_np(&attr, sizeof(none), &none) == EINVAL;
    right &= pthread_attr_setaffinity_np(&attr, 1, &foreign) == EINVAL;
    right &= pthread_attr_setaffinity_np(&attr, sizeof(foreign), &foreign) == 0;
    right &= pthread_create(&thread, &attr, report, NULL) == EINVAL;
    return right & (amalgam_thread_cores(0) == -AMALGAM_EINVAL);
}

int main(void)
{
    unsigned cores = (unsigned)amalgam_info(AMALGAM_INFO_CORES), threads = (unsigned)amalgam_info(AMALGAM_INFO_THREADS);
    int right = sched_getcpu() == 0 && refusals(cores);
    for (unsigned core = 0; core < cores; core++)
        right &= fill(core) == expected(core, cores, threads);
    puts(right ? "affinity: right" : "affinity: WRONG");
    return !right;
}
