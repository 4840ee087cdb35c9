/* SPDX-License-Identifier: MIT */
/* uplink_none.c - switches without an uplink, in kernels with no Linux above them. */
#include "uplink.h"

__init_text struct net_uplink *uplink_create(unsigned number, struct net_switch *sw) { return NULL; }
