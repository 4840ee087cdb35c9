/* SPDX-License-Identifier: MIT */
/*
 * start.c - from the entry to main() on the program's first core, to the wait for work on the others, and to the end.
 *
 * A thread's thread-local variables are at the end of its stack. A core that is not one of the program's returns at
 * once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/initializers.h"
#include "../../native/console.h"
#include "../../native/start.h"
#include "../openmp.h"
#include "environment.h"
#include "member.h"

extern const struct {
    u32 at, data, zeros; /* offset from the image's start; bytes of data; bytes of zeros behind them */
} omp_tls;
extern char _start[]; /* the image's start */
extern int main(int argc, char **argv);

__thread struct omp_thread omp_self;

void _exit(int status)
{
    struct omp_words *w = omp_self.words;
    console_flush();
    omp_release();
    w->status = status;
    w->ended.word = 1;
    omp_self.calls->exit(status);
    __builtin_trap();
}

void omp_fail(const char *why)
{
    printf("openmp: %s\n", why);
    _exit(1);
}

/* Let the x87 round to 53 bits, the precision of a stored double, so that all threads compute the same. */
static void round_double(void)
{
    u16 control = 0x27f;
    __asm__ volatile("fldcw %0" ::"m"(control));
}

static void begin(const struct native_calls *calls, int thread, int threads)
{
    struct omp_task task = { 0 };
    member_begin(calls, thread, threads, &task);
    if (thread)
        omp_worker();
    run_initializers();
    /* A copy, because other threads still read the original. */
    int skip = member_arguments(calls), argc = calls->argc - skip;
    char **argv = memcpy(__builtin_alloca((size_t)(argc + 1) * sizeof(*argv)), calls->argv + skip,
                         (size_t)(argc + 1) * sizeof(*argv));
    argv[0] = calls->argv[0];
    int settings = environment_read(argc, argv);
    argv[settings] = argv[0];
    exit(main(argc - settings, argv + settings));
}

void native_start(const struct native_calls *calls)
{
    int threads = 0, thread = -1;
    size_t size = (omp_tls.data + omp_tls.zeros + 31) & ~(size_t)31;
    char *tls = __builtin_alloca(size + 64), *pointer;
    round_double();
    pointer = (char *)(((uintptr_t)tls + size + 31) & ~(uintptr_t)31);
    memset(pointer - size, 0, size);
    memcpy(pointer - size, _start + omp_tls.at, omp_tls.data);
    *(char **)pointer = pointer; /* compiled code reads the thread pointer from there */
    if (calls->version == NATIVE_VERSION) {
        calls->thread_pointer(pointer);
        thread = member_find(calls, &threads);
    }
    if (thread < 0)
        calls->exit(0);
    begin(calls, thread, threads);
}
