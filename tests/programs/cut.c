/* SPDX-License-Identifier: MIT */
/*
 * cut.c - a process that ends in the middle of its calls: `cut LIVES`. In each life WORKERS threads make one kind of
 * call without end, and after a time that is another one in each life the first thread faults; so the process is to be
 * started again. At its begin each life says what it could have: pages, semaphores, threads. The last one says it again
 * and ends.
 */
#include <amalgam/remote.h>
#include <amalgam/clusters.h>
#include <pthread.h>

#define PROGRAM "cut"
#include "../../user/programs/must.h"

#define WORKERS 4
#define PAGE    4096ul
#define SOME    (8 * PAGE) /* of which each worker maps as many */
#define SPREAD  300000ul   /* ns */
/* Addresses that nothing is mapped at, for frames and for pages. */
#define UNIT   (__SIZEOF_POINTER__ == 8 ? 32 : 24)
#define FRAMES ((uintptr_t)0x14 << UNIT)
#define PAGES  ((uintptr_t)0x16 << UNIT)

static uint32_t word;
static unsigned semaphore[WORKERS + 1];

static void *nothing(void *arg) { return arg; }

static void threads(uintptr_t me)
{
    pthread_t t;
    (void)me;
    if (!pthread_create(&t, NULL, nothing, NULL))
        pthread_join(t, NULL);
}

static void waits(uintptr_t me)
{
    if (me % 2)
        amalgam_wake(&word, 1);
    else
        amalgam_wait(&word, 0, amalgam_clock() + 20000 * me);
}

static void maps(uintptr_t me)
{
    int64_t at = amalgam_map(NULL, SOME, AMALGAM_MAP_WRITE);
    (void)me;
    if (at >= 0) {
        *(volatile char *)(uintptr_t)at = 1;
        amalgam_unmap((void *)(uintptr_t)at, SOME);
    }
}

static void protects(uintptr_t me)
{
    static char mine[WORKERS][PAGE] __attribute__((aligned(4096)));
    amalgam_protect(mine[me], PAGE, AMALGAM_PROTECT_READ);
    amalgam_protect(mine[me], PAGE, AMALGAM_PROTECT_WRITE);
}

static void frames(uintptr_t me)
{
    char *at = (char *)(FRAMES + me * PAGE);
    int64_t frame = amalgam_frame_alloc();
    if (frame >= 0 && !amalgam_frame_map(at, (uint32_t)frame, AMALGAM_FRAME_MAP_WRITE)) {
        MUST(amalgam_frame_of(at) == frame);
        amalgam_unmap(at, PAGE);
    }
    amalgam_frame_free((uint32_t)frame);
}

/* A ring: each gives to the next; one is on its way. */
static void downs(uintptr_t me)
{
    if (!amalgam_semaphore_down(semaphore[me]))
        amalgam_semaphore_up(semaphore[(me + 1) % WORKERS]);
}

/* All wait for one that nobody gives. */
static void pending(uintptr_t me)
{
    (void)me;
    amalgam_semaphore_down(semaphore[WORKERS]);
}

static void (*const kind[])(uintptr_t me) = { threads, waits, maps, protects, frames, downs, pending };
#define KINDS (sizeof(kind) / sizeof(*kind))
static void (*now)(uintptr_t me);

static void *work(void *me)
{
    for (;;)
        now((uintptr_t)me);
    return NULL;
}

/* What this life could have. */
static void say(int64_t life)
{
    unsigned pages = 0, made = 0, id[256];
    char *first = (char *)PAGES;
    int64_t one;
    while (amalgam_map(first + pages * PAGE, PAGE, AMALGAM_MAP_WRITE) >= 0)
        pages++;
    amalgam_unmap(first, pages * PAGE);
    while ((one = amalgam_semaphore_create(0, 1)) >= 0)
        id[made++] = (unsigned)one;
    for (unsigned i = 0; i < made; i++)
        MUST(!amalgam_semaphore_close(id[i]));
    printf("cut: life %d: %u pages, %u semaphores\n", (int)life, pages, made);
}

int main(int argc, char **argv)
{
    int64_t life = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_PROCESS_LIFE);
    long lives = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    say(life);
    if (life > lives) {
        printf("cut: right\n");
        return 0;
    }
    now = kind[(unsigned long)(life - 1) % KINDS];
    for (unsigned i = 0; i <= WORKERS; i++)
        semaphore[i] = (unsigned)RESULT(amalgam_semaphore_create(i == 0, 1));
    for (uintptr_t i = 0; i < WORKERS; i++) {
        pthread_t t;
        MUST(!pthread_create(&t, NULL, work, (void *)i));
    }
    uint64_t until = amalgam_clock() + (uint64_t)life * 7919 * 13 % SPREAD;
    while (amalgam_clock() < until)
        amalgam_yield();
    *(volatile int *)0 = 0;
    return 1;
}
