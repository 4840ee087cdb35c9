/* SPDX-License-Identifier: MIT */
/* nanvix/sys/noc.h - the number of this cluster. On a board without clusters the program is in cluster 0, the only one.
 */
#ifndef NANVIX_SYS_NOC_H_
#define NANVIX_SYS_NOC_H_

#include <nanvix/kernel/kernel.h>

/* Return this cluster's number. */
extern int knode_get_num(void);
extern int kcluster_get_num(void);
/* Returns the port of a mailbox or portal (COMM_TYPE_*), or an error of kmailbox_get_port(). -EINVAL also: no such
 * type.
 */
extern int kcomm_get_port(int id, int type);
/* Call it before any communication. */
extern void knoc_init(void);

#endif
