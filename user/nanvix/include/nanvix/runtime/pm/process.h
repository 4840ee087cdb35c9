/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/pm/process.h - programs that process servers start (docs/servers.md): in the clusters that the
 * environment's PROCESSES lists, "0,1"; without it in cluster 0. A number stands for a started program and for its
 * cluster; it is this process's alone. What a process has started may be ended for others when it has asked that
 * cluster for no start, wait or kill for ten seconds: a list or stats are no sign of life.
 *
 * A server that begins anew has lost what it had started, which has ended: the next start, wait or kill, one, is -EIO.
 * Any thread may call these; one asks at a time.
 */
#ifndef NANVIX_RUNTIME_PM_PROCESS_H_
#define NANVIX_RUNTIME_PM_PROCESS_H_

#include <nanvix/kernel/kernel.h>

#define NANVIX_PROCESS_NAME   24
#define NANVIX_PROCESS_OUTPUT 80 /* bytes */

struct nanvix_process {
    int number;
    int from;    /* the cluster of who has started it */
    int threads; /* that were asked for */
    int runs;
    char name[NANVIX_PROCESS_NAME]; /* '?' for what is not printable ASCII */
};

/* How it has ended, in bits 8 and 9 of a status; below them a number (amalgam/spawn.h). */
#define NANVIX_PROCESS_EXITED 0
#define NANVIX_PROCESS_KILLED 1
#define NANVIX_PROCESS_FAULT  2

/* Store the i-th cluster of the list in *node. Returns 0, or -EINVAL: there are not so many. */
extern int nanvix_process_cluster(unsigned i, int *node);
/* Start a program, of which `file` has all `size` bytes, on a cluster, with at most `threads` threads. Both lists end
 * with NULL; `variables` may be NULL. Returns its number; -ENOEXEC: it is no program for the cluster's cores;
 * -EPERM: the system file lets this cluster start nothing there, and no valid handle is in use; -ENOMEM: the server or
 * its slots have no room for it; -E2BIG: the texts take more than 4 KiB; -EAGAIN: no slot is free there, or the server
 * does not answer, and nothing was started; -EINVAL: no such cluster is in the list; -EIO: the server has begun anew,
 * or does not say whether it has started it. */
extern int nanvix_process_start(int node, const void *file, size_t size, int threads, const char *const arguments[],
                                const char *const variables[]);
/* The same, and what it writes to stdout and stderr, if it was linked by `amalgam cc --shell`, is for
 * nanvix_process_output(). It waits while 4 KiB of that are not read. */
extern int nanvix_process_start_piped(int node, const void *file, size_t size, int threads,
                                      const char *const arguments[], const char *const variables[]);
/* The right to start programs on a cluster, for those clusters that its system file does not give it. Nothing but its
 * key makes it valid: who sends it to a program of another cluster gives that one the right, which may hand it on. */
struct nanvix_process_handle {
    uint64_t key;
    uint32_t from, node; /* the cluster that has asked for it; that of the server */
};
/* Get the handle of this cluster, which the system file lets start programs on `node`; `renew`: another one, and those
 * of before are void. They end with the server, too; what was started by them goes on. Returns 0; -EPERM: this cluster
 * may start nothing there, or the server has no numbers that nobody can guess; -EINVAL: no such cluster is in the list;
 * -EIO: the server has begun anew, or does not say whether the former handle is void. */
extern int nanvix_process_handle(int node, int renew, struct nanvix_process_handle *h);
/* Use a handle for each start on its cluster from now on. Whether it is valid is seen by a start. Returns 0, -EINVAL.
 */
extern int nanvix_process_use(const struct nanvix_process_handle *h);
/* Read what it has written: up to NANVIX_PROCESS_OUTPUT bytes, each once. Does not wait. Returns how many; 0: no more
 * will come; -EAGAIN: there is nothing yet; -EPIPE, once: what was not read is gone, since this process had asked that
 * server for nothing in ten seconds and others wanted the slot; otherwise as nanvix_process_wait(). After -EIO a piece
 * may be missing where the server lives: it was late, and its answer had one. */
extern int nanvix_process_output(int number, char *to);
/* Ask how it has ended; it is forgotten then. One that was started piped has not ended before its output was read to
 * its end. Returns 0; -EAGAIN: it runs; -ESRCH: this process has started none of
 * that number, or was told its end; -EIO: the server has begun anew, or does not answer. */
extern int nanvix_process_wait(int number, int *status);
/* Let it end, or all of a name that this process has started, on all clusters. Return how many; -ESRCH: there is none;
 * -EIO: the server has begun anew, or does not answer. All servers are asked for a name, and an error of one of them is
 * returned instead of how many the others have ended. */
extern int nanvix_process_kill(int number);
extern int nanvix_process_kill_name(const char *name);
/* Describe a process of a cluster, whoever has started it: the first one behind `number`, 0 at first. Returns 0;
 * -ESRCH: there is no other one; -EAGAIN: the server does not answer; -EIO: it answers wrong; -EINVAL. */
extern int nanvix_process_list(int node, int number, struct nanvix_process *p);

struct nanvix_process_stats {
    unsigned life, server_life;  /* of the cluster, and of the server in it, from 1 */
    unsigned started, refused;   /* by the server, in its life */
    unsigned dropped;            /* by the cluster's kernel: what named a former life */
    unsigned awake, awake_limit; /* cores of programs; 0 without a limit */
    unsigned cores;              /* the cluster's, at most 64; 0: its kernel does not tell which is awake */
    uint64_t core_awake;         /* bits, core 0 the lowest: it runs a thread */
    uint64_t core_waits;         /* bits: it does not, because of the limit */
};
/* Ask what a cluster counts. Returns 0, -EAGAIN, -EINVAL. */
extern int nanvix_process_stats(int node, struct nanvix_process_stats *s);

#endif
