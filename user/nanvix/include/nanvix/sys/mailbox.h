/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/mailbox.h - messages of up to 128 bytes between clusters. Functions return negative errors. All: EINVAL: a
 * number is out of its range; EBADF: no such mailbox, or one of the other direction; ENOSYS: this board has no
 * clusters; EIO: the peer was lost; ETIMEDOUT: the peer does not answer within a bounded time.
 */
#ifndef NANVIX_SYS_MAILBOX_H_
#define NANVIX_SYS_MAILBOX_H_

#include <nanvix/kernel/kernel.h>

extern void kmailbox_init(void);
/* Create a mailbox that receives at a port of this cluster. EBUSY: the port has one already. EAGAIN: there are
 * KMAILBOX_MAX already. */
extern int kmailbox_create(int local, int port);
/* Create a mailbox that sends to a port of a cluster. EAGAIN: there are no more. */
extern int kmailbox_open(int remote, int port);
/* Free a mailbox that receives, or one that sends. EBUSY: a read or write is not finished, or a message waits. */
extern int kmailbox_unlink(int id);
extern int kmailbox_close(int id);
/* Start a write or a read, which kmailbox_wait() ends. Return `size`. */
extern ssize_t kmailbox_awrite(int id, const void *buffer, size_t size);
extern ssize_t kmailbox_aread(int id, void *buffer, size_t size);
/* Wait until the write or read that was started is finished. Returns 0. */
extern int kmailbox_wait(int id);
/* Write or read, and wait until it is finished. Return `size`. */
extern ssize_t kmailbox_write(int id, const void *buffer, size_t size);
extern ssize_t kmailbox_read(int id, void *buffer, size_t size);
/* Let the next read take only a message of that sender, or MAILBOX_ANY_*. EFAULT: the mailbox sends, or a sender is set
 * already. */
extern int kmailbox_set_remote(int id, int remote, int port);
/* Returns the port at which it receives, or the sender's port that its receiver sees. */
extern int kmailbox_get_port(int id);
/* Do a request KMAILBOX_IOCTL_*. Counts are those of this process. ENOTSUP: no such request. EFAULT: the pointer is
 * NULL.
 */
extern int kmailbox_ioctl(int id, unsigned request, ...);

#endif
