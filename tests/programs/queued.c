/* SPDX-License-Identifier: MIT */
/*
 * queued.c - more threads than the process has places: without the attribute they are refused, with it they wait and
 * are started first come first served, each with a stack and variables of its own, on cores that they chose. The last
 * line says whether all was right.
 */
#include <amalgam/calls.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define MOST   (64 + PTHREAD_QUEUED_MAX)
#define ROUNDS 200

static uint32_t begun, may_end; /* threads that began; the threads below this number may end */
static unsigned order[MOST];    /* their numbers, as they began */
static _Thread_local unsigned number = MOST;
static pthread_attr_t queued;
static int wrong;

#define MUST(what)                                                                                                     \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            printf("queued: line %d: %s\n", __LINE__, #what);                                                          \
            __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);                                                             \
        }                                                                                                              \
    } while (0)

static void wait_until(uint32_t *word, uint32_t least)
{
    uint32_t now;
    while ((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) < least)
        amalgam_wait(word, now, AMALGAM_NEVER);
}

static void *take_turn(void *arg)
{
    char far[2048]; /* of a stack that is nobody else's */
    MUST(number == MOST);
    number = (unsigned)(size_t)arg;
    far[0] = far[sizeof(far) - 1] = (char)number;
    uint32_t place = __atomic_load_n(&begun, __ATOMIC_RELAXED);
    order[place] = number;
    __atomic_store_n(&begun, place + 1, __ATOMIC_RELEASE);
    amalgam_wake(&begun, MOST);
    wait_until(&may_end, number + 1);
    MUST(number == (unsigned)(size_t)arg && *(volatile char *)&far[sizeof(far) - 1] == (char)number);
    return (void *)(size_t)(number + 1);
}

static void *leave(void *arg) { return arg; }

/* Fill the process's places and the queue, and let one thread end at a time. */
static void in_order(unsigned places)
{
    pthread_t thread[MOST], none;
    pthread_attr_t plain;
    unsigned n = 0, others = places - 1;
    for (; n < others; n++) {
        MUST(pthread_create(&thread[n], NULL, take_turn, (void *)(size_t)n) == 0);
        wait_until(&begun, n + 1);
    }
    MUST(pthread_create(&none, NULL, leave, NULL) == EAGAIN);
    pthread_attr_init(&plain);
    MUST(pthread_create(&none, &plain, leave, NULL) == EAGAIN);
    for (; n < others + 2 * places; n++)
        MUST(pthread_create(&thread[n], &queued, take_turn, (void *)(size_t)n) == 0);
    MUST(pthread_create(&none, NULL, leave, NULL) == EAGAIN);
    if (2 * places == PTHREAD_QUEUED_MAX)
        MUST(pthread_create(&none, &queued, leave, NULL) == EAGAIN);
    MUST(__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == others);
    for (unsigned i = 0; i < n; i++) {
        void *result;
        __atomic_store_n(&may_end, i + 1, __ATOMIC_RELEASE);
        amalgam_wake(&may_end, MOST);
        MUST(pthread_join(thread[i], &result) == 0 && result == (void *)(size_t)(i + 1));
        wait_until(&begun, others + i + 1 < n ? others + i + 1 : n);
    }
    for (unsigned i = 0; i < n; i++)
        MUST(order[i] == i);
}

/* What a thread of by_core() knows of itself: the core that it began on + 1, and when. */
static struct {
    uint32_t core, turn, may_end;
} stays[MOST];
static uint32_t turns;

static void *stay(void *arg)
{
    size_t n = (size_t)arg;
    stays[n].turn = __atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&stays[n].core, (uint32_t)sched_getcpu() + 1, __ATOMIC_RELEASE);
    amalgam_wake(&stays[n].core, MOST);
    wait_until(&stays[n].may_end, 1);
    return arg;
}

static void end_one(unsigned n)
{
    __atomic_store_n(&stays[n].may_end, 1, __ATOMIC_RELEASE);
    amalgam_wake(&stays[n].may_end, MOST);
}

/* Returns a thread that runs there, and was not told to end. */
static unsigned runs_on(unsigned core, unsigned below)
{
    for (unsigned n = 1; n < below; n++)
        if (__atomic_load_n(&stays[n].core, __ATOMIC_ACQUIRE) == core + 1 && !stays[n].may_end)
            return n;
    MUST(!"a thread on that core");
    return 0;
}

/* Threads that have chosen their core wait for a thread of that core, and no other. */
static void by_core(unsigned places)
{
    unsigned cores = (unsigned)amalgam_info(AMALGAM_INFO_CORES), n = 1;
    pthread_t thread[MOST];
    pthread_attr_t on_core = queued;
    cpu_set_t set;
    if (places <= cores) /* the first thread alone has a place on core 0, and stays */
        return;
    for (; n < places; n++) {
        MUST(pthread_create(&thread[n], &queued, stay, (void *)(size_t)n) == 0);
        wait_until(&stays[n].core, 1);
    }
    for (; n < places + 2 * cores; n++) {
        CPU_ZERO(&set);
        CPU_SET((n - places) % cores, &set);
        pthread_attr_setaffinity_np(&on_core, sizeof(set), &set);
        MUST(pthread_create(&thread[n], &on_core, stay, (void *)(size_t)n) == 0);
    }
    MUST(__atomic_load_n(&turns, __ATOMIC_ACQUIRE) == places - 1);
    for (unsigned core = cores; core--;) { /* the last core's first, although others have waited longer */
        end_one(runs_on(core, places));
        wait_until(&stays[places + core].core, 1);
        MUST(stays[places + core].core == core + 1 && stays[places + core].turn == places - 1 + cores - core);
    }
    for (unsigned i = 1; i < n; i++)
        end_one(i);
    for (unsigned i = 1; i < n; i++) {
        void *result;
        MUST(pthread_join(thread[i], &result) == 0 && result == (void *)(size_t)i);
        MUST(i < places || stays[i].core == (i - places) % cores + 1);
        MUST(i < places + cores || stays[i].turn > stays[i - cores].turn);
    }
}

/* Short threads, joined or detached, which end while others are created. */
static void *count(void *arg)
{
    __atomic_add_fetch((uint32_t *)arg, 1, __ATOMIC_RELAXED);
    return arg;
}

/* A thread that is forgotten is an error after ten seconds. */
static void await(uint32_t *done, uint32_t all)
{
    uint64_t end = (uint64_t)amalgam_clock() + 10000000000ull;
    while (__atomic_load_n(done, __ATOMIC_ACQUIRE) < all && (uint64_t)amalgam_clock() < end)
        amalgam_sleep_until((uint64_t)amalgam_clock() + 10000);
    MUST(__atomic_load_n(done, __ATOMIC_ACQUIRE) == all);
}

static void in_disorder(void)
{
    pthread_attr_t detached = queued;
    uint32_t done = 0;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t thread[8];
        for (unsigned i = 0; i < 8; i++)
            MUST(pthread_create(&thread[i], i % 4 == 3 ? &detached : &queued, count, &done) == 0);
        for (unsigned i = 0; i < 8; i++)
            if (i % 4 != 3)
                MUST(pthread_join(thread[i], NULL) == 0);
    }
    await(&done, 8 * ROUNDS);
}

/* The second one is often created while the first one ends, and then nobody else is there to start it. */
static void at_an_end(void)
{
    pthread_attr_t detached = queued;
    uint32_t done = 0;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (unsigned round = 1; round <= 10 * ROUNDS && !wrong; round++) {
        pthread_t thread;
        MUST(pthread_create(&thread, &detached, count, &done) == 0);
        for (unsigned i = 0; i < round % 64; i++)
            (void)__atomic_load_n(&done, __ATOMIC_ACQUIRE);
        MUST(pthread_create(&thread, &detached, count, &done) == 0);
        await(&done, 2 * round);
    }
}

/* With one place there is nobody to wait for. */
static void alone(void)
{
    pthread_t thread;
    MUST(pthread_create(&thread, &queued, leave, NULL) == EAGAIN);
}

int main(void)
{
    unsigned places = (unsigned)amalgam_info(AMALGAM_INFO_THREADS);
    pthread_attr_init(&queued);
    pthread_attr_setqueued_np(&queued, 1);
    if (places == 1) {
        alone();
    } else {
        in_order(places);
        by_core(places);
        in_disorder();
        at_an_end();
    }
    printf("queued: %u places: %s\n", places, wrong ? "WRONG" : "right");
    return wrong;
}
