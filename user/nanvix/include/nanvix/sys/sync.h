/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/sync.h - clusters wait for each other. nodes[0] is the one, the others are all: ALL_TO_ONE: the one
 * creates and waits, the others open and signal; ONE_TO_ALL: the one opens and signals. Errors as those of
 * nanvix/sys/mailbox.h.
 */
#ifndef NANVIX_SYS_SYNC_H_
#define NANVIX_SYS_SYNC_H_

#include <nanvix/kernel/kernel.h>

extern void ksync_init(void);
/* The same list gives the same number again. EINVAL: the list or type is wrong, or this cluster's part is the other
 * one. */
extern int ksync_create(const int *nodes, int nnodes, int type);
extern int ksync_open(const int *nodes, int nnodes, int type);
extern int ksync_unlink(int id);
extern int ksync_close(int id);
extern int ksync_wait(int id);
extern int ksync_signal(int id);
/* KSYNC_IOCTL_*, as kmailbox_ioctl(). */
extern int ksync_ioctl(int id, unsigned request, ...);

#endif
