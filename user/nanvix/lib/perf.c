/* SPDX-License-Identifier: MIT */
/* perf.c - the clock, and monitors made of it. */
#include <nanvix/sys/perf.h>

#include "nanvix.h"

#define CLOSE 1000 /* ns */
#define FEW   256  /* close looks without a sleep */
#define EACH  8    /* of those behind them sleeps */

static _Thread_local struct {
    uint64_t since; /* it runs since then; 0: it stands */
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

/* Looks that follow each other closely are a loop that waits for a time: after some it sleeps, for longer and longer. A
 * measurement's looks are far apart, or few. */
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
