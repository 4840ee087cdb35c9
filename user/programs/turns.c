/* SPDX-License-Identifier: MIT */
/*
 * turns.c - several threads of the program's own on each of two of the kernel's, which an alarm takes turns among
 * (amalgam/signal.h). Each finds its registers as it left them, also those of floating point, and of AVX where the
 * processor has it. The last line says whether all was right.
 */
#include <amalgam/signal.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM "turns"
#include "must.h"

#define MS    1000000ull
#define OWN   4 /* threads of the program's own on each of the kernel's, with the first one */
#define STACK 8192
#define STEPS 3000
#define CUTS  3 /* slices that end in each one's work, at least */

/* One of the kernel's threads that runs several of the program's. */
struct runner {
    struct amalgam_frame *frame[OWN]; /* where each goes on */
    unsigned running;                 /* the one that runs */
    unsigned switches;
    bool done;
    uint64_t slice;      /* nanoseconds; grows when one was too short for a step */
    uint32_t steps[OWN]; /* a counter */
    uint32_t last[OWN];  /* its value at the end of the last slice */
    uint32_t cuts[OWN];  /* how often a slice has ended in a series */
    uint32_t ended[OWN];
    double sum[OWN];
    char *stack[OWN];
};

static struct runner runner[2];
static uint32_t slots[64]; /* 1 + index of the runner of the kernel's thread */

/* The upper halves of AVX's registers, if there are any: fill one, and look after the next slice, in which others have
 * done the same. */
#if defined(__x86_64__)
static bool wide;

static void wide_find(void)
{
    uint32_t a, b, c, d;
    __cpuid(1, a, b, c, d);
    if (!(~c & (1u << 27 | 1u << 28))) { /* OSXSAVE, AVX */
        __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        wide = (a & 6) == 6;
    }
}

static void wide_spoil(volatile double *value)
{
    if (wide)
        __asm__ volatile("vbroadcastsd %0, %%ymm6" ::"m"(*value) : "xmm6");
}

static bool wide_stays(double value, const uint32_t *cuts, uint32_t *steps)
{
    double after = value;
    if (wide)
        __asm__ volatile("vbroadcastsd %0, %%ymm6\n\t"
                         "mov (%1), %%eax\n"
                         "1:\taddl $1, (%2)\n\t"
                         "cmp (%1), %%eax\n\t"
                         "je 1b\n\t"
                         "vextractf128 $1, %%ymm6, %%xmm6\n\t"
                         "vmovsd %%xmm6, %0\n\t"
                         "vzeroupper"
                         : "+m"(after)
                         : "r"(cuts), "r"(steps)
                         : "eax", "xmm6", "memory", "cc");
    return after == value;
}
#else
static const bool wide;
static void wide_find(void) {}
static void wide_spoil(volatile double *value) { (void)value; }
static bool wide_stays(double value, const uint32_t *cuts, uint32_t *steps)
{
    (void)value, (void)cuts, (void)steps;
    return true;
}
#endif

/* The time of the one that runs is up: the next one. Uses registers of floating point. */
static struct amalgam_frame *turn(int signal, struct amalgam_frame *frame)
{
    (void)signal;
    struct runner *r = &runner[slots[amalgam_thread_self()] - 1];
    if (__atomic_load_n(&r->done, __ATOMIC_RELAXED))
        return frame;
    volatile double other = r->switches;
    other = other * 3.25 + 1;
    wide_spoil(&other);
    uint32_t steps = __atomic_load_n(&r->steps[r->running], __ATOMIC_RELAXED);
    if (steps == r->last[r->running])
        r->slice *= 2;
    r->last[r->running] = steps;
    r->cuts[r->running]++;
    r->frame[r->running] = frame;
    r->running = (r->running + 1) % OWN;
    r->switches++;
    amalgam_alarm(r->slice);
    return r->frame[r->running];
}

static void step(uint32_t *steps) { __atomic_store_n(steps, *steps + 1, __ATOMIC_RELAXED); }

/* The same sum each time, so that a register that another one has changed makes a difference. */
static __attribute__((noinline)) double series(uint32_t *steps)
{
    double sum = 0, term = 1;
    for (uint32_t i = 1; i <= STEPS; i++) {
        sum += term / i;
        term = term * 0.9375 + 1.0 / (i + 3);
        step(steps);
    }
    return sum;
}

/* What each does: the series until some slices have ended in it. */
static void count(struct runner *r, unsigned which)
{
    double first = r->sum[which] = series(&r->steps[which]);
    MUST(wide_stays(which + 1.5, &r->cuts[which], &r->steps[which]));
    while (__atomic_load_n(&r->cuts[which], __ATOMIC_RELAXED) < CUTS && r->sum[which] == first)
        r->sum[which] = series(&r->steps[which]);
    __atomic_store_n(&r->ended[which], 1, __ATOMIC_RELEASE);
}

static void own_thread(void *arg)
{
    struct runner *r = arg;
    unsigned which = r->running;
    count(r, which);
    for (;;)
        step(&r->steps[which]);
}

static void *run(void *arg)
{
    struct runner *r = arg;
    slots[amalgam_thread_self()] = (uint32_t)(r - runner) + 1;
    r->slice = MS / 5;
    for (unsigned i = 1; i < OWN; i++) {
        r->stack[i] = malloc(STACK);
        r->frame[i] = amalgam_frame(r->stack[i] + STACK, own_thread, r);
    }
    amalgam_alarm(r->slice);
    count(r, 0);
    for (unsigned i = 1; i < OWN; i++)
        while (!__atomic_load_n(&r->ended[i], __ATOMIC_ACQUIRE))
            step(&r->steps[0]);
    __atomic_store_n(&r->done, true, __ATOMIC_RELAXED);
    amalgam_alarm(0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    uint32_t steps = 0;
    double right = series(&steps);
    wide_find();
    MUST(amalgam_signal(AMALGAM_SIGALRM, turn) == 0 && !pthread_create(&thread, NULL, run, &runner[1]));
    run(&runner[0]);
    pthread_join(thread, NULL);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < OWN; i++)
            MUST(runner[k].sum[i] == right);
    printf("turns: %d threads of the program's own on each of 2, %u and %u switches%s\n", OWN, runner[0].switches,
           runner[1].switches, wide ? ", AVX" : "");
    puts("turns: right");
    return 0;
}
