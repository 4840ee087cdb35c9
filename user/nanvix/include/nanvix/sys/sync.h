/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/sync.h - clusters wait for each other. nodes[0] is "the one", the others are "all". ALL_TO_ONE: the one
 * creates the sync and waits, the others open it and signal. ONE_TO_ALL: the one opens it and signals, the others
 * create it and wait. The errors are those of nanvix/sys/mailbox.h.
 */
#ifndef NANVIX_SYS_SYNC_H_
#define NANVIX_SYS_SYNC_H_

#include <nanvix/kernel/kernel.h>

extern void ksync_init(void);
/* Return the same number for the same list. EINVAL: the list or type is wrong, or this cluster has to call the other
 * function. */
extern int ksync_create(const int *nodes, int nnodes, int type);
extern int ksync_open(const int *nodes, int nnodes, int type);
extern int ksync_unlink(int id);
extern int ksync_close(int id);
extern int ksync_wait(int id);
extern int ksync_signal(int id);
/* Do a request KSYNC_IOCTL_*, as kmailbox_ioctl(). */
extern int ksync_ioctl(int id, unsigned request, ...);

#endif
