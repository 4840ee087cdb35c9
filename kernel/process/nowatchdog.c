/* SPDX-License-Identifier: MIT */
/* nowatchdog.c - in place of watchdog.c in a kernel without watchdogs of processes. */
#include <errors.h>
#include <generated/process_calls.h>

#include "watchdog.h"

__init_text const char *process_watchdog_check(const struct sys_domain *d)
{
    return d->watchdog_ms ? "this kernel has no watchdogs of processes" : NULL;
}

void process_watchdog_start(struct process *p) {}
void process_watchdog_stop(struct process *p) {}
void process_watchdog_end(struct process *p) {}
s64 process_call_watchdog_kick(struct process_thread *t) { return -ENOENT; }
