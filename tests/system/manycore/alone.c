/* SPDX-License-Identifier: MIT */
/*
 * alone.c - `alone WINDOWS SHOTS`: a thread that computes on a core of its own while the other threads of its process
 * do what they like: remote calls, waits and wake-ups, starts and ends of threads, new memory; some only sleep. Marks 1
 * and 2 are around each of WINDOWS windows, of TURNS turns of two instructions and one more. Then others unmap SHOTS
 * pages in windows between marks 3 and 4, until all are gone.
 */
#include <amalgam/calls.h>
#include <amalgam/clusters.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "mark.h"

#define TURNS  0x80000  /* a multiple of 4096 */
#define PAUSE  20000    /* ns: how long the others sleep */
#define SLICE  12000000 /* ns: a little more than a turn among threads; one that has begun beside another ends */
#define OTHERS 11
/* of the others; the rest only sleep, longer, as an emulator may let a core run until the next alarm of any core */
#define WORKS 5

static uint32_t ready, over, shooting, ping, pong;
static unsigned long shots;
static char stack[4096] __attribute__((aligned(16)));

static void must(int right, const char *what)
{
    if (!right) {
        printf("alone: %s failed\n", what);
        exit(1);
    }
}

static int is_over(void) { return __atomic_load_n(&over, __ATOMIC_ACQUIRE); }
static void rest(void) { amalgam_sleep_until(amalgam_clock() + PAUSE); }
static void begin(void) { __atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE); }

static void *calls(void *arg)
{
    for (begin(); !is_over(); rest())
        for (int i = 0; i < 8; i++)
            must(amalgam_remote_null() == 0, "remote_null");
    return arg;
}

static void *pings(void *arg)
{
    for (begin(); !is_over(); rest()) {
        __atomic_add_fetch(&ping, 1, __ATOMIC_RELEASE);
        amalgam_wake(&ping, 1);
        amalgam_wait(&pong, __atomic_load_n(&ping, __ATOMIC_ACQUIRE) - 1, amalgam_clock() + PAUSE);
    }
    return arg;
}

static void *pongs(void *arg)
{
    for (begin(); !is_over();) {
        uint32_t now = __atomic_load_n(&ping, __ATOMIC_ACQUIRE);
        __atomic_store_n(&pong, now, __ATOMIC_RELEASE);
        amalgam_wake(&pong, 1);
        amalgam_wait(&ping, now, amalgam_clock() + PAUSE);
    }
    return arg;
}

static void *sleeps(void *arg)
{
    unsigned pause = PAUSE * (2 + (unsigned)(uintptr_t)arg % 7) + 1000;
    for (begin(); !is_over();)
        amalgam_sleep_until(amalgam_clock() + pause);
    return NULL;
}

static void at_once(void *word) { amalgam_thread_exit(word); }

/* Threads whose stack is there already, on this core. */
static void *starts(void *arg)
{
    static uint32_t word;
    int64_t cores = 1 << amalgam_info(AMALGAM_INFO_CORE);
    must(amalgam_thread_cores((uint32_t)cores) == 0, "thread_cores");
    for (begin(); !is_over(); rest()) {
        __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
        must(amalgam_thread_create(at_once, stack + sizeof(stack), &word, NULL) >= 0, "thread_create");
        while (__atomic_load_n(&word, __ATOMIC_ACQUIRE))
            amalgam_wait(&word, 1, AMALGAM_NEVER);
    }
    return arg;
}

/* New pages, also lazy ones; later they go, one by one. */
static void *maps(void *arg)
{
    char *page[64];
    unsigned long n = 0;
    for (begin(); !__atomic_load_n(&shooting, __ATOMIC_ACQUIRE); rest()) {
        if (n == shots)
            continue;
        int64_t at = amalgam_map(NULL, 4096, n % 2 ? AMALGAM_MAP_WRITE : AMALGAM_MAP_LAZY);
        must(at > 0, "map");
        page[n] = (char *)(uintptr_t)at;
        *page[n++] = 1;
    }
    must(n == shots, "the windows were long enough for all pages; it");
    for (; n; rest())
        must(amalgam_unmap(page[--n], 4096) == 0, "unmap");
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    return arg;
}

static inline void compute(void)
{
    unsigned long n;
    __asm__ volatile("lui %0, %1\n1: addi %0, %0, -1\n bnez %0, 1b" : "=r"(n) : "i"(TURNS / 4096));
}

int main(int argc, char **argv)
{
    static void *(*const bodies[WORKS])(void *) = { calls, pings, pongs, starts, maps };
    pthread_t others[OTHERS];
    unsigned windows = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    shots = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    must(shots <= 64, "at most 64 pages: it");
    for (int i = 0; i < OTHERS; i++)
        must(pthread_create(&others[i], NULL, i < WORKS ? bodies[i] : sleeps, (void *)(uintptr_t)i) == 0,
             "pthread_create");
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < OTHERS)
        rest();
    amalgam_sleep_until(amalgam_clock() + SLICE);
    amalgam_remote_null();
    for (unsigned i = 0; i < windows; i++) {
        MARK(1);
        compute();
        MARK(2);
    }
    __atomic_store_n(&shooting, 1, __ATOMIC_RELEASE);
    while (!is_over()) {
        MARK(3);
        compute();
        MARK(4);
    }
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    printf("alone: all has ended\n");
    return 0;
}
