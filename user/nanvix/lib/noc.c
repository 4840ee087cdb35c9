/* SPDX-License-Identifier: MIT */
/* noc.c - the one cluster. */
#include <nanvix/sys/noc.h>

int knode_get_num(void) { return PROCESSOR_NODENUM_MASTER; }
int kcluster_get_num(void) { return PROCESSOR_CLUSTERNUM_MASTER; }
int kcomm_get_port(int id, int type)
{
    return id < 0 || (type != COMM_TYPE_MAILBOX && type != COMM_TYPE_PORTAL) ? -EINVAL : -ENOSYS;
}
void knoc_init(void) {}
