/* SPDX-License-Identifier: MIT */
/* nanvix/sys/noc.h - where this cluster is in the network of clusters. On a board without clusters it is the only one,
 * 0. */
#ifndef NANVIX_SYS_NOC_H_
#define NANVIX_SYS_NOC_H_

#include <nanvix/kernel/kernel.h>

/* Return its number. */
extern int knode_get_num(void);
extern int kcluster_get_num(void);
/* The port of a mailbox or portal (COMM_TYPE_*). -EINVAL: no such type; else as kmailbox_get_port(). */
extern int kcomm_get_port(int id, int type);
/* To be called before any communication. */
extern void knoc_init(void);

#endif
