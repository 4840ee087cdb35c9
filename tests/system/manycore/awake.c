/* SPDX-License-Identifier: MIT */
/*
 * awake.c - `awake THREADS ROUNDS`: threads that compute, call the master and meet each round; then the kernel's
 * figures of cores that were awake. Mark 1 is before the threads.
 */
#include <amalgam/calls.h>
#include <amalgam/clusters.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mark.h"

#define TURNS 5000ul /* of two instructions, each round */

static unsigned threads, rounds;
static uint32_t arrived, met;
static unsigned long sum;

static long long field(unsigned field) { return amalgam_cluster_info(field); }

static void meet(void)
{
    uint32_t now = __atomic_load_n(&met, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == threads) {
        arrived = 0;
        __atomic_store_n(&met, now + 1, __ATOMIC_RELEASE);
        amalgam_wake(&met, threads);
    }
    while (__atomic_load_n(&met, __ATOMIC_ACQUIRE) == now)
        amalgam_wait(&met, now, AMALGAM_NEVER);
}

static void *work(void *arg)
{
    for (unsigned round = 0; round < rounds; round++) {
        unsigned long n = TURNS;
        __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(n));
        if (amalgam_remote_null())
            exit(1);
        __atomic_add_fetch(&sum, round + 1, __ATOMIC_RELAXED);
        meet();
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t others[31];
    threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    MARK(1);
    for (unsigned i = 0; i + 1 < threads; i++)
        if (pthread_create(&others[i], NULL, work, NULL))
            abort();
    work(NULL);
    for (unsigned i = 0; i + 1 < threads; i++)
        pthread_join(others[i], NULL);
    printf("awake: sum %lu, limit %lld, most %lld, now %lld\n", sum, field(AMALGAM_CLUSTER_INFO_AWAKE_LIMIT),
           field(AMALGAM_CLUSTER_INFO_AWAKE_MOST), field(AMALGAM_CLUSTER_INFO_AWAKE));
    return 0;
}
