/* SPDX-License-Identifier: MIT */
/*
 * omp_threads.h - a program for OpenMP on the host: threads that share the runtime's words and everything else, each
 * with the runtime's state of its own. omp_threads(n, body) starts n; thread 0 runs `body` and ends the program, the
 * others work for its regions, as on the board. In place of start.c and entry.S.
 */
#ifndef AMALGAM_TESTS_OMP_THREADS_H
#define AMALGAM_TESTS_OMP_THREADS_H

#include <member.h>
#include <openmp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread struct omp_thread omp_self;
static _Alignas(64) char omp_shared[NATIVE_WORDS];
static uint32_t (*volatile omp_asks)(void); /* what a thread asks, and how it rests; NULL: nothing happens */
static void (*volatile omp_rests)(void);

static uint32_t omp_host_lost(void) { return omp_asks ? omp_asks() : 0; }

static void omp_host_rest(void)
{
    if (omp_rests)
        omp_rests();
    sched_yield();
}

static bool omp_host_up(uint32_t core) { return core < THREADS; }
static void omp_host_exit(int status) { pthread_exit((void *)(intptr_t)status); }

static struct native_calls omp_host_calls(int thread, volatile u32 *line)
{
    return (struct native_calls){ .version = NATIVE_VERSION,
                                  .core = (u32)thread,
                                  .khz = 1000000,
                                  .shared = omp_shared,
                                  .shared_size = sizeof(omp_shared),
                                  .rest = omp_host_rest,
                                  .up = omp_host_up,
                                  .exit = omp_host_exit,
                                  .line = line,
                                  .lost = omp_host_lost };
}

u32 omp_test_and_set(volatile u32 *word)
{
    u32 was = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(*word)::"memory");
    return was;
}

void omp_fail(const char *why)
{
    fprintf(stderr, "openmp: %s\n", why);
    abort();
}

void console_flush(void) {}

struct omp_host_thread {
    int thread, threads;
    void (*body)(void);
    pthread_t id;
};

static void *omp_host_thread(void *arg)
{
    const struct omp_host_thread *t = arg;
    _Alignas(64) volatile u32 line = 0;
    struct native_calls calls = omp_host_calls(t->thread, &line);
    struct omp_task task = { 0 };
    member_begin(&calls, t->thread, t->threads, &task);
    if (t->thread)
        omp_worker();
    t->body();
    omp_release();
    omp_self.words->ended.word = 1;
    return NULL;
}

/* Run a program, and return the statuses of its threads together: 0 if all have ended as it does. */
__attribute__((unused)) static intptr_t omp_threads(int n, void (*body)(void))
{
    struct omp_host_thread thread[THREADS];
    intptr_t all = 0;
    memset(omp_shared, 0, sizeof(omp_shared));
    for (int i = 0; i < n; i++) {
        thread[i] = (struct omp_host_thread){ .thread = i, .threads = n, .body = body };
        if (pthread_create(&thread[i].id, NULL, omp_host_thread, &thread[i]))
            abort();
    }
    for (int i = 0; i < n; i++) {
        void *status;
        pthread_join(thread[i].id, &status);
        all |= (intptr_t)status;
    }
    return all;
}

#endif
