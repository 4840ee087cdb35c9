/* SPDX-License-Identifier: MIT */
/* uplink_none.c - switches without an uplink, in kernels with no Linux above them. */
#include <errors.h>
#include "uplink.h"

__init_text void uplink_create(unsigned number, struct net_switch *sw) {}
int uplink_send(unsigned number, struct net_frame *f) { return -ENODEV; }
