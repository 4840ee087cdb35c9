/* SPDX-License-Identifier: MIT */
/* split_none.c - without a Linux beside it, a kernel has disks in RAM and networks between guests only. */
#include <errors.h>
#include "net.h"

__init_text int split_block_create(struct virtio *v, const struct sys_device *conf, const struct sys_header *sys)
{
    return -ENODEV; /* the domain's report of its creation says so */
}

__init_text void split_net_create(unsigned number, struct net_switch *sw) {}
void split_net_send(unsigned number, struct net_frame *f) {}
