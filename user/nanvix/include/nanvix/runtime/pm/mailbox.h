/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/pm/mailbox.h - mailboxes by name (name.h). Functions return negative errors: those of kmailbox_*() and
 * of nanvix_name_*(). All: EINVAL: no such mailbox. An owner of names calls nanvix_name_heartbeat() each second.
 */
#ifndef NANVIX_RUNTIME_PM_MAILBOX_H_
#define NANVIX_RUNTIME_PM_MAILBOX_H_

#include <nanvix/runtime/pm/name.h>

#define NANVIX_MAILBOX_MAX KMAILBOX_MAX
#define NANVIX_GENERAL_PORTS_BASE                                                                                      \
    13 /* ports from here on are for nanvix_mailbox_create2() and nanvix_portal_create2() */

/* Give this cluster a name, and receive at the calling thread's port (stdikc.h), or at a port from 13 on. */
extern int nanvix_mailbox_create(const char *name);
extern int nanvix_mailbox_create2(const char *name, int port);
/* Send to a port of the cluster that has the name. */
extern int nanvix_mailbox_open(const char *name, int port);
/* Return 0. ENOTSUP: it is of the other direction. */
extern int nanvix_mailbox_read(int id, void *buf, size_t n);
extern int nanvix_mailbox_write(int id, const void *buf, size_t n);
extern int nanvix_mailbox_set_remote(int id, int remote, int port);
/* Free one that sends, or one that receives and its name. EPERM: it is of the other direction. */
extern int nanvix_mailbox_close(int id);
extern int nanvix_mailbox_unlink(int id);

#endif
