/* SPDX-License-Identifier: MIT */
/*
 * events.h - what wakes a process for all that spawn/ gives it: the end of what it has started, pipes, its console's
 * input. Each process has a count of events. A program reads the count, looks whether what it waits for is there, and
 * sleeps only if the count is still the same (spawn_sleep): so no event between the look and the sleep is lost. It adds
 * a word of its own that counts what its threads do, so that one sleep is for both. It may be woken for what is not its
 * affair.
 */
#ifndef AMALGAM_SPAWN_EVENTS_H
#define AMALGAM_SPAWN_EVENTS_H

#include <process/process.h>

/* Something that the process of the domain may wait for has changed: count it, and wake who sleeps. Any context but
 * under the process's lock. The caller calls sched_poll() once it holds no lock. */
void events_ring(unsigned domain);
/* The processes that have the console of domain `console`: it, and what it has started. */
void events_ring_console(unsigned console);

#endif
