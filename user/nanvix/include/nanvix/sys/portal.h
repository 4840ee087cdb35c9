/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/portal.h - transfers of up to 1 MiB from one cluster to another, which the reader has to allow. The errors
 * are those of nanvix/sys/mailbox.h.
 */
#ifndef NANVIX_SYS_PORTAL_H_
#define NANVIX_SYS_PORTAL_H_

#include <nanvix/kernel/kernel.h>

extern void kportal_init(void);
/* Create a portal that receives at a port of this cluster. EBUSY: the port has one already. */
extern int kportal_create(int local, int port);
/* Allow a writer one transfer; `port` is what kportal_get_port() returns to the writer. EBUSY: one is allowed already.
 */
extern int kportal_allow(int id, int remote, int port);
/* Create a portal that sends from this cluster to a port of another one. */
extern int kportal_open(int local, int remote, int port);
extern int kportal_unlink(int id);
extern int kportal_close(int id);
/* Start a transfer of up to HAL_PORTAL_DATA_SIZE bytes, which kportal_wait() ends. Return `size`. EACCES: a read
 * without kportal_allow(). */
extern ssize_t kportal_awrite(int id, const void *buffer, size_t size);
extern ssize_t kportal_aread(int id, void *buffer, size_t size);
extern int kportal_wait(int id);
/* Do a transfer of up to KPORTAL_MAX_SIZE bytes, as one of each page; one kportal_allow() is enough. Return `size`. */
extern ssize_t kportal_write(int id, const void *buffer, size_t size);
extern ssize_t kportal_read(int id, void *buffer, size_t size);
extern int kportal_get_port(int id);
/* Do a request KPORTAL_IOCTL_*, as kmailbox_ioctl(). */
extern int kportal_ioctl(int id, unsigned request, ...);

#endif
