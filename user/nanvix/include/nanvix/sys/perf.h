/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/perf.h - performance monitors: each thread has one, number 0, which counts PERF_CYCLES. Those are
 * nanoseconds of the board's clock (CLUSTER_FREQ says so), as a process may not read the processor's own counters on
 * every board.
 */
#ifndef NANVIX_SYS_PERF_H_
#define NANVIX_SYS_PERF_H_

#include <nanvix/kernel/kernel.h>

/* Whether an event can be counted: 0, or -EINVAL. */
extern int nanvix_perf_query(int event);
/* Count `event` from 0 on; stop; go on. Return 0, or -EINVAL: no such monitor or event. */
extern int nanvix_perf_start(int perf, int event);
extern int nanvix_perf_stop(int perf);
extern int nanvix_perf_restart(int perf);
/* What a stopped or running monitor has counted; all ones: there is no such monitor. */
extern uint64_t nanvix_perf_read(int perf);

/* *buffer becomes the time, in nanoseconds since the board's start. -EINVAL: it is NULL. */
extern int kclock(uint64_t *buffer);
/* Statistics of the master: -ENOTSUP. */
extern int kstats(uint64_t *buffer, int event);

#endif
