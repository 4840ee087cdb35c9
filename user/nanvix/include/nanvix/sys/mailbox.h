/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/mailbox.h - messages of up to 128 bytes between clusters. Functions return a negative error; EINVAL also:
 * a number out of its range; EBADF: no such mailbox, or one of the other direction; ENOSYS: this board has no clusters.
 * A peer that is gone is EIO, one that does not answer ETIMEDOUT, within a bounded time.
 */
#ifndef NANVIX_SYS_MAILBOX_H_
#define NANVIX_SYS_MAILBOX_H_

#include <nanvix/kernel/kernel.h>

extern void kmailbox_init(void);
/* A mailbox that reads what is sent to a port of this cluster. EBUSY: the port has one. EAGAIN: there are KMAILBOX_MAX.
 */
extern int kmailbox_create(int local, int port);
/* One that writes to a port of a cluster. EAGAIN: there are no more. */
extern int kmailbox_open(int remote, int port);
/* Give back one that reads, or that writes. EBUSY: something was started, or a message waits. */
extern int kmailbox_unlink(int id);
extern int kmailbox_close(int id);
/* Start; kmailbox_wait() ends it. Return `size`. */
extern ssize_t kmailbox_awrite(int id, const void *buffer, size_t size);
extern ssize_t kmailbox_aread(int id, void *buffer, size_t size);
/* Returns 0. */
extern int kmailbox_wait(int id);
/* Start and wait. Return `size`. */
extern ssize_t kmailbox_write(int id, const void *buffer, size_t size);
extern ssize_t kmailbox_read(int id, void *buffer, size_t size);
/* Have the next read take a message of that sender; MAILBOX_ANY_*. EFAULT: it writes, or was told already. */
extern int kmailbox_set_remote(int id, int remote, int port);
/* Returns the port that it reads, or by which its receiver knows it. */
extern int kmailbox_get_port(int id);
/* KMAILBOX_IOCTL_*. ENOTSUP: no such request. EFAULT: no pointer. Counts are of this process. */
extern int kmailbox_ioctl(int id, unsigned request, ...);

#endif
