/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/pm/portal.h - portals by name (name.h). Functions return negative errors: those of kportal_*() and of
 * nanvix_name_*(). All: EINVAL: no such portal.
 */
#ifndef NANVIX_RUNTIME_PM_PORTAL_H_
#define NANVIX_RUNTIME_PM_PORTAL_H_

#include <nanvix/runtime/pm/mailbox.h>

#define NANVIX_PORTAL_MAX KPORTAL_MAX

/* As nanvix_mailbox_create(), _create2() and _open(). */
extern int nanvix_portal_create(const char *name);
extern int nanvix_portal_create2(const char *name, int port);
extern int nanvix_portal_open(const char *name, int port);
/* Allow the portal of that cluster with the same port, or with `port`, one transfer. ENOTSUP: this one sends. */
extern int nanvix_portal_allow(int id, int node);
extern int nanvix_portal_allow2(int id, int node, int port);
/* Return how many bytes were moved. ENOTSUP: it is of the other direction. */
extern int nanvix_portal_read(int id, void *buf, size_t n);
extern int nanvix_portal_write(int id, const void *buf, size_t n);
/* Returns its port; of one that sends that which its reader has to allow. */
extern int nanvix_portal_get_port(int id);
/* As nanvix_mailbox_close() and _unlink(). */
extern int nanvix_portal_close(int id);
extern int nanvix_portal_unlink(int id);

#endif
