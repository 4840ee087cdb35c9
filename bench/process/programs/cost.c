/* SPDX-License-Identifier: MIT */
/*
 * cost.c - measures a process's calls for bench/process, in ticks of the time stamp counter, which under icount are
 * instructions. Prints lines `bench NAME MINIMUM MEDIAN SAMPLES`, as guests/linux/peerbench.c does.
 *   cost calls     null call, clock, wait and wake between threads, create and join
 *   cost pages     the first access to a lazy page, and unmapping it
 *   cost large     mapping and unmapping 2 MiB as one page and as 512
 *   cost switch    context switches to `cost partner`, which has the same priority; only these two on the core
 *   cost partner   yields for ever
 *   cost shared    rounds to `cost answer` at the other end of a tunnel, as `cost switch` is to `cost partner`
 *   cost answer    answers these rounds: first by the doorbell, then by words of the tunnel's memory
 *   cost born      prints when it started
 */
#include <amalgam/tunnel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/ticks.h"

#define WARM    8
#define SAMPLES 1000
#define STACK   1024 /* 64-bit words */

static uint64_t sample[SAMPLES], overhead;

/* Print minimum and median of the samples, each of which is the time of `per` operations. */
static void report(const char *name, unsigned per, unsigned n)
{
    qsort(sample, n, sizeof(*sample), by_size);
    printf("bench %s %lu %lu %u\n", name, (sample[0] - overhead) / per, (sample[n / 2] - overhead) / per, n);
}

#define MEASURE_SOME(n, name, per, action, then)                                                                       \
    do {                                                                                                               \
        for (int i = -WARM; i < (n); i++) {                                                                            \
            uint64_t t0 = ticks();                                                                                     \
            action;                                                                                                    \
            uint64_t t1 = ticks();                                                                                     \
            then;                                                                                                      \
            if (i >= 0)                                                                                                \
                sample[i] = t1 - t0;                                                                                   \
        }                                                                                                              \
        report(name, per, n);                                                                                          \
    } while (0)
#define MEASURE(name, per, action) MEASURE_SOME(SAMPLES, name, per, action, (void)0)

/* --- wait and wake ---------------------------------------------------------------------------------------------- */

static uint32_t word[2];
static int stop;

static void pass(uint32_t *to)
{
    __atomic_store_n(to, 1, __ATOMIC_RELEASE);
    amalgam_wake(to, 1);
}

static void take(uint32_t *from)
{
    while (!__atomic_load_n(from, __ATOMIC_ACQUIRE))
        amalgam_wait(from, 0, AMALGAM_NEVER);
    *from = 0;
}

static void *answer(void *unused)
{
    for (;;) {
        take(&word[0]);
        if (stop)
            return unused;
        pass(&word[1]);
    }
}

static void measure_wake(void)
{
    pthread_t t;
    if (pthread_create(&t, NULL, answer, NULL)) {
        puts("cost: there is no second thread");
        exit(1);
    }
    MEASURE("wake", 2, (pass(&word[0]), take(&word[1])));
    stop = 1;
    pass(&word[0]);
    pthread_join(t, NULL);
}

/* --- tunnels ---------------------------------------------------------------------------------------------------- */

#define MESSAGE 64

/* The beginning of the tunnel's memory; each part has cache lines of its own. */
struct shared {
    char there[MESSAGE], back[MESSAGE];
    uint32_t by_words;
    uint32_t word[2] __attribute__((aligned(64)));
};

static char message[MESSAGE];

static struct shared *open_tunnel(struct amalgam_tunnel *t)
{
    if (amalgam_tunnel_open(0, t)) {
        puts("cost: there is no tunnel");
        exit(1);
    }
    return t->memory;
}

static void measure_shared(void)
{
    struct amalgam_tunnel t;
    struct shared *s = open_tunnel(&t);
    amalgam_sleep_until(amalgam_clock() + 10000000); /* let the other thread reach its wait */
    MEASURE("tunnel-round-trip", 1, {
        memcpy(s->there, message, MESSAGE);
        amalgam_tunnel_call(0, AMALGAM_NEVER);
        memcpy(message, s->back, MESSAGE);
    });
    s->by_words = 1;
    amalgam_tunnel_notify(0);
    MEASURE("wake-shared", 2, (pass(&s->word[0]), take(&s->word[1])));
}

static void answer_shared(void)
{
    struct amalgam_tunnel t;
    struct shared *s = open_tunnel(&t);
    amalgam_tunnel_wait(0, AMALGAM_NEVER);
    while (!__atomic_load_n(&s->by_words, __ATOMIC_ACQUIRE)) {
        memcpy(message, s->there, MESSAGE);
        memcpy(s->back, message, MESSAGE);
        amalgam_tunnel_call(0, AMALGAM_NEVER);
    }
    for (;;) {
        take(&s->word[0]);
        pass(&s->word[1]);
    }
}

/* --- threads ---------------------------------------------------------------------------------------------------- */

static uint64_t stack[STACK];
static uint32_t runs;

static void bare(void *unused)
{
    (void)unused;
    amalgam_thread_exit(&runs);
}

static void create_and_join(void)
{
    runs = 1;
    if (amalgam_thread_create(bare, &stack[STACK - 1], NULL, NULL) < 0) {
        puts("cost: there is no second thread");
        exit(1);
    }
    while (__atomic_load_n(&runs, __ATOMIC_ACQUIRE))
        amalgam_wait(&runs, 1, AMALGAM_NEVER);
}

static void *nothing(void *unused) { return unused; }

static void posix_create_and_join(void)
{
    pthread_t t;
    if (pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL)) {
        puts("cost: there is no second thread");
        exit(1);
    }
}

/* --- pages ------------------------------------------------------------------------------------------------------ */

#define PAGE 4096ul

static volatile char *pages(unsigned n)
{
    int64_t at = amalgam_map(NULL, n * PAGE, AMALGAM_MAP_LAZY);
    if (at < 0) {
        puts("cost: there is no memory");
        exit(1);
    }
    return (volatile char *)(uintptr_t)at;
}

/* `fault` is one store. `fault-clear` unmaps its page, which is cleared then. */
static void measure_pages(void)
{
    volatile char *at = pages(WARM + SAMPLES);
    MEASURE("fault", 1, (*at = 1, at += PAGE));
    MEASURE("fault-clear", 1, (at -= PAGE, amalgam_unmap((void *)at, PAGE)));
}

#define LARGE_PAGE (512 * PAGE)
#define FEW        16

static void map_at(void *at, enum amalgam_map how)
{
    if (amalgam_map(at, LARGE_PAGE, how) < 0) {
        puts("cost: there is no memory");
        exit(1);
    }
}

static void measure_large(void)
{
    void *one = (void *)0x8400000000, *many = (void *)0x8500000000;
    MEASURE_SOME(FEW, "map-large", 1, map_at(one, AMALGAM_MAP_LARGE), amalgam_unmap(one, LARGE_PAGE));
    MEASURE_SOME(FEW, "map-512", 1, map_at(many, AMALGAM_MAP_WRITE), amalgam_unmap(many, LARGE_PAGE));
    map_at(one, AMALGAM_MAP_LARGE);
    MEASURE_SOME(FEW, "unmap-large", 1, amalgam_unmap(one, LARGE_PAGE), map_at(one, AMALGAM_MAP_LARGE));
    amalgam_unmap(one, LARGE_PAGE);
    map_at(many, AMALGAM_MAP_WRITE);
    MEASURE_SOME(FEW, "unmap-512", 1, amalgam_unmap(many, LARGE_PAGE), map_at(many, AMALGAM_MAP_WRITE));
}

/* --- what is measured ------------------------------------------------------------------------------------------- */

static void calls(void)
{
    MEASURE("call", 1, amalgam_null());
    MEASURE("clock", 1, amalgam_clock());
    MEASURE("yield-alone", 1, amalgam_yield());
    measure_wake();
    MEASURE("thread-calls", 1, create_and_join());
    MEASURE("thread", 1, posix_create_and_join());
}

/* A switch is half of a round: there and back, with the partner's loop of two instructions. */
static void switches(void)
{
    amalgam_sleep_until(amalgam_clock() + 10000000); /* let the partner start */
    MEASURE("switch", 2, amalgam_yield());
}

int main(int argc, char **argv)
{
    uint64_t born = ticks();
    const char *what = argc > 1 ? argv[1] : "";
    MEASURE("rdtsc-pair", 1, (void)0);
    overhead = sample[0];
    if (!strcmp(what, "calls")) {
        calls();
    } else if (!strcmp(what, "pages")) {
        measure_pages();
    } else if (!strcmp(what, "large")) {
        measure_large();
    } else if (!strcmp(what, "switch")) {
        switches();
    } else if (!strcmp(what, "partner")) {
        for (;;)
            amalgam_yield();
    } else if (!strcmp(what, "shared")) {
        measure_shared();
    } else if (!strcmp(what, "answer")) {
        answer_shared();
    } else if (!strcmp(what, "born")) {
        printf("bench born %lu\n", born);
    }
    puts("cost: done");
    return 0;
}
