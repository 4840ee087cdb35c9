/* SPDX-License-Identifier: MIT */
/*
 * core/cores.h - cores that join and leave at run time (CONFIG_DYNAMIC).
 *
 * A core gets the lowest free number. Core 0 has the control console: it joins first and leaves last. A core is
 * *present* from core_join() until it has left: cpus[] names it, and it is sent interrupts. Threads that are started on
 * a core before it is online wait for it.
 *
 *    architecture          core_join(record), then on the core itself core_start(number)
 *    architecture          core_leave(number): the core leaves when its threads have ended
 *    core/                 on the core itself: hal_core_left()
 */
#ifndef AMALGAM_CORE_CORES_H
#define AMALGAM_CORE_CORES_H

#include <core/cpu.h>
#include <core/system_table.h>

/*
 * Give the record of a core its number, which the core then passes to core_start(). The record's `arch` is that of a
 * core that has just been started. Returns the number, or -ENOSPC. Any context, any core that has a record.
 */
int core_join(struct cpu *c);
/*
 * Ask a core to leave. It leaves when its threads have ended, and then calls hal_core_left(). Returns 0; -ENODEV: the
 * core is not present; -EBUSY: a domain of the present system has a vCPU or a window on the core, or it is core 0 and
 * others are present. Any context, any core that has a record.
 */
int core_leave(unsigned cpu);
/* Returns whether the core is present; a core that was asked to leave is present until it has left. */
bool core_present(unsigned cpu);

/* --- inside core/ ---------------------------------------------------------------------------------------------- */

/* Make `h` the system. Returns 0, or -ENODEV, with a line in the log, if a core that it uses is not present or was
 * asked to leave. Until system_table is NULL again none of these cores leaves. */
int cores_bind(const struct sys_header *h);
/* No system is there any more. After this no other core reads the former one's table: its memory may be freed. */
void cores_release(void);
/* Run fn(arg) on a core in a thread of the highest priority and wait until it has returned. Returns 0, -ENODEV or
 * -ENOMEM. Thread context on core 0, one call at a time. */
int core_visit(unsigned cpu, void (*fn)(void *), void *arg);

#endif
