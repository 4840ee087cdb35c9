/* SPDX-License-Identifier: MIT */
/*
 * core/cores.h - cores that come and go at run time (CONFIG_DYNAMIC).
 *
 * Numbers are given from 0 up, the lowest free one first; core 0 has the control
 * console and is the first to come and the last to leave.  A core is *present* from
 * core_join() until it has left: cpus[] names it, and only then is it sent interrupts.
 * What is started there before it is online waits for it.
 *
 *   architecture          core_join(record) ... on the core itself: core_start(number)
 *   architecture          core_leave(number): it will leave as soon as it has nothing to do
 *   core/                 ... on the core itself: hal_core_left()
 */
#ifndef AMALGAM_CORE_CORES_H
#define AMALGAM_CORE_CORES_H

#include <core/cpu.h>
#include <core/system_table.h>

/*
 * Give the record of a core a number, which it then passes to core_start(). The record's `arch` is as of a core that
 * has just been started. Any core that has a record may call it, in any context. The number, or -ENOSPC.
 */
int core_join(struct cpu *c);
/*
 * Ask a core to leave. It does as soon as its threads have ended, and calls hal_core_left(). 0; -ENODEV it is not
 * there; -EBUSY a domain of the present system has a vCPU or windows there, or it is core 0 and others are there. Any
 * context, any core that has a record.
 */
int core_leave(unsigned cpu);
/* A core that was asked to leave is still there. */
bool core_present(unsigned cpu);

/* --- inside core/ ---------------------------------------------------------------------------------------------- */

/* Make `h` the system, unless a core that it uses is not there or leaves: -ENODEV, said in the log. Until system_table
 * is NULL again none of these leaves. */
int cores_bind(const struct sys_header *h);
/* Run fn(arg) on a core in a thread that nothing there is more urgent than, and wait for it. -ENODEV, -ENOMEM. Thread
 * context on core 0, one at a time. */
int core_visit(unsigned cpu, void (*fn)(void *), void *arg);

#endif
