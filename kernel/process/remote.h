/* SPDX-License-Identifier: MIT */
/*
 * remote.h - calls that the cluster's master core executes for the caller's (CONFIG_CLUSTER_REMOTE_ALL; Nanvix paper,
 * III.B). Which those are is a column of the call table (`remote`, kernel/api/process.yaml).
 *
 * A call's function has its thread as an argument, and finds the others in the thread's registers: so the generated
 * decoder leaves a request whose `serve` is the same function. It must not access the program's memory, nor load its
 * space: those are the caller's core's matters. A call that blocks or wakes is short, and the master itself executes
 * it, with interrupts off. Any other one may clear pages and wait for the other cores' flushes, which takes as long as
 * the program chooses; so the master hands it to a thread on its core, and serves others meanwhile (cluster/remote.c).
 */
#ifndef AMALGAM_PROCESS_REMOTE_H
#define AMALGAM_PROCESS_REMOTE_H

#include <types.h>

#ifndef REMOTE_ALL
#define REMOTE_ALL 0 /* CONFIG_CLUSTER_REMOTE_ALL */
#endif

struct process_thread;
struct request;

/* Let the master execute `serve` for the calling thread `t`, and return its result. Interrupts are off, but while it
 * sleeps. */
s64 remote_call(struct process_thread *t, s64 (*serve)(struct request *r));
/* The same by the thread beside the master. Interrupts are on. */
s64 remote_long_call(struct process_thread *t, s64 (*serve)(struct request *r));
/* Returns the thread whose call it is. */
struct process_thread *remote_thread(struct request *r);

#endif
