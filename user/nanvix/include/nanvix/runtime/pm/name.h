/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/pm/name.h - names of clusters' programs, at name servers (docs/servers.md). The servers are at the
 * clusters that the environment's NAMES lists ("0,1,2"), without it at cluster 0. Functions return negative errors.
 * All: EINVAL: no name; ENAMETOOLONG: NANVIX_PROC_NAME_MAX bytes or more; EAGAIN: too few servers answer at present;
 * ENOSYS: this board has no clusters.
 *
 * Any thread may call them; one asks at a time. A question takes up to 100 ms for each server that does not answer. It
 * takes an alarm (kalarm()) of the thread, which comes afterwards if it falls into that time. Up to 100 ms after a
 * question it may end one wait by a call of <amalgam/...h> with EINTR; no function of this library or of C's is ended.
 */
#ifndef NANVIX_RUNTIME_PM_NAME_H_
#define NANVIX_RUNTIME_PM_NAME_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/limits.h>

/* Give this cluster, whose number `node` must be, a name. It can be given several times, and is to be taken back as
 * often. EPERM: another cluster; EEXIST: another process has the name; ENOSPC: there are too many. */
extern int nanvix_name_link(int node, const char *name);
/* Take a name back. ENOENT: it is none of this process. */
extern int nanvix_name_unlink(const char *name);
/* Returns the number of the cluster that has the name. It is remembered for a second. ENOENT: none has it. */
extern int nanvix_name_lookup(const char *name);
/* Keep all names of this process for two seconds more; call it each second. EEXIST: one of them became another
 * process's meanwhile, and is no longer this one's. */
extern int nanvix_name_heartbeat(void);

/* Begin and end the use of the servers. The first function that is called begins it, too. */
extern int __nanvix_name_setup(void);
extern int __nanvix_name_cleanup(void);

#endif
