/* SPDX-License-Identifier: MIT */
/*
 * core/monitor.h - the control console: a line monitor on the human port (after
 * Ctrl-]) and on the kernel's source of the tagged channel.  `help` lists it.
 * Every command answers with lines of text and ends with "ok" or "error: ...".
 */
#ifndef AMALGAM_CORE_MONITOR_H
#define AMALGAM_CORE_MONITOR_H

/* Start its thread on core 0. */
void monitor_start(void);
/* Execute one line (modified in place). Thread context. */
void monitor_execute(char *line);

#endif
