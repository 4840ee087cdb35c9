/* SPDX-License-Identifier: MIT */
/* noc.c - the number of this cluster, and ports. */
#include <amalgam/clusters.h>
#include <nanvix/sys/mailbox.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/portal.h>
#include <nanvix/sys/sync.h>

#include "nanvix.h"

int knode_get_num(void)
{
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE);
    return node == -AMALGAM_ENOSYS ? PROCESSOR_NODENUM_MASTER : (int)nanvix_result(node);
}

int kcluster_get_num(void) { return knode_get_num(); }

int kcomm_get_port(int id, int type)
{
    if (id < 0 || (type != COMM_TYPE_MAILBOX && type != COMM_TYPE_PORTAL))
        return -EINVAL;
    return type == COMM_TYPE_MAILBOX ? kmailbox_get_port(id) : kportal_get_port(id);
}

void knoc_init(void)
{
    ksync_init();
    kmailbox_init();
    kportal_init();
}
