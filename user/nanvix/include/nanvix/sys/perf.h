/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/perf.h - performance monitors. Each thread has one, number 0, which counts PERF_CYCLES. These are
 * nanoseconds of the board's clock (CLUSTER_FREQ), because not every board lets a process read the processor's
 * counters.
 */
#ifndef NANVIX_SYS_PERF_H_
#define NANVIX_SYS_PERF_H_

#include <nanvix/kernel/kernel.h>

/* Returns 0 if an event can be counted, otherwise -EINVAL. */
extern int nanvix_perf_query(int event);
/* Count `event` from 0 on; stop; continue. Return 0, or -EINVAL: no such monitor or event. */
extern int nanvix_perf_start(int perf, int event);
extern int nanvix_perf_stop(int perf);
extern int nanvix_perf_restart(int perf);
/* Returns what a stopped or running monitor has counted; all ones if there is no such monitor. */
extern uint64_t nanvix_perf_read(int perf);

/* Store the time, in nanoseconds since the board's start. -EINVAL: `buffer` is NULL. */
extern int kclock(uint64_t *buffer);
/* Statistics of the master: always -ENOTSUP. */
extern int kstats(uint64_t *buffer, int event);

#endif
