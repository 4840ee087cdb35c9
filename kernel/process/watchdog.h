/* SPDX-License-Identifier: MIT */
/* watchdog.h - watchdogs of processes: watchdog.c, or nowatchdog.c without CONFIG_PROCESS_WATCHDOG. */
#ifndef AMALGAM_PROCESS_WATCHDOG_H
#define AMALGAM_PROCESS_WATCHDOG_H

#include "process.h"

/* Check what a process's record says of its watchdog. Returns NULL, or why it is wrong. */
const char *process_watchdog_check(const struct sys_domain *d);
/* The process's threads are about to run: watch it, if its record says so. On core 0. */
void process_watchdog_start(struct process *p);
/* The process's threads are to leave: watch it no more. Any context. */
void process_watchdog_stop(struct process *p);
/* A thread of the process leaves: end the process if that is because it did not kick. Thread context. */
void process_watchdog_end(struct process *p);

#endif
