/* SPDX-License-Identifier: MIT */
/*
 * time.c - POSIX clocks and sleeps on the kernel's clock, which counts from the board's start, as CLOCK_MONOTONIC does.
 * CLOCK_REALTIME adds what the board's wall clock said then; on a board without one both are the same.
 */
#include <amalgam/calls.h>
#include <errno.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "cancel.h"
#include "clock.h"
#include "thread.h"

uint64_t clock_epoch(void) { return (uint64_t)amalgam_info(AMALGAM_INFO_EPOCH); }

int clock_gettime(clockid_t id, struct timespec *now)
{
    if (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC) {
        errno = EINVAL;
        return -1;
    }
    uint64_t ns = amalgam_clock() + (id == CLOCK_REALTIME ? clock_epoch() : 0);
    *now = clock_timespec(ns);
    return 0;
}

int clock_getres(clockid_t id, struct timespec *resolution)
{
    if (id != CLOCK_REALTIME && id != CLOCK_MONOTONIC) {
        errno = EINVAL;
        return -1;
    }
    *resolution = (struct timespec){ 0, 1 };
    return 0;
}

int gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    uint64_t us = (amalgam_clock() + clock_epoch()) / 1000;
    *now = (struct timeval){ (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };
    return 0;
}

/* For clock(): the elapsed time in units of CLOCKS_PER_SEC, because the kernel does not report processor time. */
clock_t times(struct tms *used)
{
    clock_t elapsed = (clock_t)(amalgam_clock() / (NS_PER_S / CLOCKS_PER_SEC));
    *used = (struct tms){ .tms_utime = elapsed };
    return elapsed;
}

bool clock_of(const struct timespec *time, uint64_t *ns)
{
    if (time->tv_nsec < 0 || (uint64_t)time->tv_nsec >= NS_PER_S)
        return false;
    if (time->tv_sec < 0)
        *ns = 0;
    else if ((uint64_t)time->tv_sec >= AMALGAM_NEVER / NS_PER_S)
        *ns = AMALGAM_NEVER;
    else
        *ns = (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
    return true;
}

bool clock_of_realtime(const struct timespec *time, uint64_t *ns)
{
    if (!clock_of(time, ns))
        return false;
    uint64_t epoch = clock_epoch();
    if (*ns != AMALGAM_NEVER)
        *ns = *ns > epoch ? *ns - epoch : 0;
    return true;
}

bool clock_deadline(clockid_t clock, const struct timespec *time, uint64_t *ns)
{
    if (clock == CLOCK_REALTIME)
        return clock_of_realtime(time, ns);
    return clock == CLOCK_MONOTONIC && clock_of(time, ns);
}

/* By a word that nobody wakes, where the thread may be cancelled. */
static int64_t sleep_until(uint64_t end)
{
    uint32_t word = 0;
    return cancel_hooks ? cancel_wait(&word, 0, end) : amalgam_sleep_until(end);
}

/* Returns the nanoseconds that are left because a signal ended the sleep; 0: it was whole. */
static uint64_t sleep_for(uint64_t ns)
{
    uint64_t now = amalgam_clock(), end = ns < AMALGAM_NEVER - now ? now + ns : AMALGAM_NEVER;
    const uint32_t *handled = &thread_self()->signals.handled, before = *handled;
    int64_t result;
    cancel_test();
    while ((result = sleep_until(end)) == -AMALGAM_EINTR && __atomic_load_n(handled, __ATOMIC_RELAXED) == before)
        ; /* a signal that the thread blocks, or ignores */
    if (result == -ECANCELED)
        cancel_test();
    if (__atomic_load_n(handled, __ATOMIC_RELAXED) == before)
        return 0;
    now = amalgam_clock();
    return now < end ? end - now : 0;
}

static int interrupted(uint64_t left)
{
    if (!left)
        return 0;
    errno = EINTR;
    return -1;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    uint64_t ns;
    if (!clock_of(time, &ns) || time->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    ns = sleep_for(ns);
    if (left)
        *left = clock_timespec(ns);
    return interrupted(ns);
}

unsigned sleep(unsigned seconds) { return (unsigned)((sleep_for(seconds * NS_PER_S) + NS_PER_S - 1) / NS_PER_S); }

int usleep(useconds_t us) { return interrupted(sleep_for(us * 1000ull)); }
