/* SPDX-License-Identifier: MIT */
/*
 * start.c - from the entry to main(), and the functions that the C library needs: memory, time, exit.
 *
 * On a core that is not one of its UEs the program ends at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "../rcce.h"
#include "console.h"

_Static_assert(offsetof(struct native_calls, heap) == 40, "entry.S");

typedef void initializer(void);
extern initializer *__preinit_array_start[], *__preinit_array_end[], *__init_array_start[], *__init_array_end[];
extern int main(int argc, char **argv);
void rcce_start(const struct native_calls *calls);

static char *at;

void *sbrk(ptrdiff_t change)
{
    const struct native_calls *c = rcce.calls;
    if (change > 0 ? change > c->end - at : -change > at - c->heap) {
        errno = ENOMEM;
        return (void *)-1;
    }
    at += change;
    return at - change;
}

void _exit(int status)
{
    console_flush();
    rcce.calls->exit(status);
    __builtin_trap();
}

int gettimeofday(struct timeval *time, void *zone)
{
    double now = RCCE_wtime();
    (void)zone;
    time->tv_sec = (time_t)now;
    time->tv_usec = (suseconds_t)((now - (double)time->tv_sec) * 1e6);
    return 0;
}

/* RCCE_wtime() works before RCCE_init(), so this does, too. */
int usleep(useconds_t us)
{
    for (double end = RCCE_wtime() + us * 1e-6; RCCE_wtime() < end;)
        rcce_rest();
    return 0;
}

unsigned sleep(unsigned s)
{
    while (s--)
        usleep(1000000);
    return 0;
}

static void run(initializer **first, initializer **end)
{
    for (; first < end; first++)
        (*first)();
}

/* Returns whether the core is one of the arguments: program, number of UEs, clock, cores. */
static bool is_among(int argc, char **argv, uint32_t core)
{
    int n = argc > 2 ? atoi(argv[1]) : 0;
    for (int i = 3; i < argc && i < n + 3; i++)
        if ((uint32_t)atoi(argv[i]) == core)
            return true;
    return false;
}

void rcce_start(const struct native_calls *calls)
{
    rcce.calls = calls;
    at = calls->heap;
    if (calls->version != NATIVE_VERSION || !is_among(calls->argc, calls->argv, calls->core))
        _exit(0);
    run(__preinit_array_start, __preinit_array_end);
    run(__init_array_start, __init_array_end);
    exit(main(calls->argc, calls->argv));
}
