/* SPDX-License-Identifier: MIT */
/*
 * member.c - which of the program's threads a core has, how it begins, and how all threads end together.
 *
 * A thread that is told of a core whose kernel has died passes that on: it stores the core's number + 2 at NATIVE_LOST.
 * A kernel stores 1 there for a thread that has ended alone (native/calls.h).
 */
#include "member.h"

#include <stdio.h>
#include <stdlib.h>

#include "../openmp.h"
#include "../../native/console.h"

#define EXIT_LOST 125 /* status of threads that end because another one did */
#define SKIP      3   /* program, number of cores, clock; then the cores (tools/amalgam/system/natives.py) */
#define ALONE     1   /* at NATIVE_LOST */

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Returns how many cores the arguments name. */
static int count_cores(const struct native_calls *c)
{
    int n = c->argc > 1 ? atoi(c->argv[1]) : 0;
    return n < 1 || n > THREADS || c->argc < n + SKIP ? 0 : n;
}

/* The cores that were named and that boot are numbered in order. */
int member_find(const struct native_calls *c, int *threads)
{
    int n = 0, core[THREADS];
    for (int i = 0; i < count_cores(c); i++) {
        int named = atoi(c->argv[SKIP + i]);
        if (c->up((u32)named))
            core[n++] = named;
    }
    qsort(core, (size_t)n, sizeof(core[0]), compare);
    *threads = n;
    for (int i = 0; i < n; i++)
        if (core[i] == (int)c->core)
            return i;
    return -1;
}

void member_begin(const struct native_calls *c, int thread, int threads, struct omp_task *task)
{
    omp_self.calls = c;
    omp_self.words = (struct omp_words *)c->shared;
    omp_self.id = (u32)thread;
    omp_self.all = omp_self.default_threads = (u32)threads;
    omp_self.team.threads = 1;
    omp_self.task = task;
    omp_self.schedule = SCHEDULE_DYNAMIC;
    omp_self.schedule_chunk = 1;
}

int member_arguments(const struct native_calls *c) { return count_cores(c) + SKIP - 1; }

/* Does not return if the program has ended, or one of its threads has without it. */
static void end_if_lost(void)
{
    const struct omp_words *w = omp_self.words;
    const struct native_calls *c = omp_self.calls;
    volatile u32 *told = (volatile u32 *)(c->shared + NATIVE_LOST);
    bool ended = w->ended.word;
    u32 dead = ended ? 0 : c->lost(), lost = dead ? dead + ALONE : *told;
    if (!ended && !lost)
        return;
    if (!ended && lost > ALONE) {
        *told = lost;
        printf("openmp: the kernel of core %u is dead: the program ends here, too\n", (unsigned)(lost - ALONE - 1));
    } else if (!ended && !omp_self.id) {
        printf("openmp: a thread has ended without the program: the others end, too\n");
    }
    console_flush();
    c->exit(ended ? w->status : EXIT_LOST);
}

void omp_rest(void)
{
    end_if_lost();
    omp_self.calls->rest();
}

void omp_polled(void)
{
    if (omp_look(&omp_self.polls, POLLS))
        end_if_lost();
}
