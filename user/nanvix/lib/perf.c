/* SPDX-License-Identifier: MIT */
/* perf.c - the clock, and performance monitors based on it. */
#include <nanvix/sys/perf.h>

#include "nanvix.h"

#define CLOSE 1000 /* ns: readings of the clock that are closer may be polling */
#define FEW   256  /* so many close readings are done without a sleep; */
#define EACH  8    /* after them every eighth one sleeps */

static _Thread_local struct {
    uint64_t since; /* the time at which it was started; 0: it is stopped */
    uint64_t before;
} monitor;

static bool is_monitor(int perf) { return WITHIN(perf, 0, PERF_MONITORS_NUM); }

int perf_query(int event) { return event == PERF_CYCLES ? 0 : -EINVAL; }

int perf_start(int perf, int event)
{
    if (!is_monitor(perf) || perf_query(event))
        return -EINVAL;
    monitor.before = 0;
    monitor.since = amalgam_clock();
    return 0;
}

int perf_stop(int perf)
{
    uint64_t now = amalgam_clock();
    if (!is_monitor(perf))
        return -EINVAL;
    monitor.before += monitor.since ? now - monitor.since : 0;
    monitor.since = 0;
    return 0;
}

int perf_restart(int perf)
{
    if (!is_monitor(perf))
        return -EINVAL;
    if (!monitor.since)
        monitor.since = amalgam_clock();
    return 0;
}

uint64_t perf_read(int perf)
{
    if (!is_monitor(perf))
        return UINT64_MAX;
    return monitor.before + (monitor.since ? amalgam_clock() - monitor.since : 0);
}

int nanvix_perf_query(int event) { return perf_query(event); }
int nanvix_perf_start(int perf, int event) { return perf_start(perf, event); }
int nanvix_perf_stop(int perf) { return perf_stop(perf); }
int nanvix_perf_restart(int perf) { return perf_restart(perf); }
uint64_t nanvix_perf_read(int perf) { return perf_read(perf); }

/* Many readings that follow each other closely are a loop that waits for a time, so some of them sleep, for longer and
 * longer. The readings of a measurement are few or far apart. */
int kclock(uint64_t *buffer)
{
    static _Thread_local uint64_t last;
    static _Thread_local unsigned polls;
    if (!buffer)
        return -EINVAL;
    *buffer = amalgam_clock();
    polls = *buffer - last < CLOSE ? polls + 1 : 0;
    last = *buffer;
    if (polls > FEW && polls % EACH == 0) {
        nanvix_relax(NANVIX_RELAX_ASLEEP + (polls - FEW) / EACH);
        last = amalgam_clock();
    }
    return 0;
}

int kstats(uint64_t *buffer, int event)
{
    (void)buffer, (void)event;
    return -ENOTSUP;
}
