# SPDX-License-Identifier: MIT
TESTS += uplink_lost
uplink_lost_SRC := kernel/net/switch.c kernel/net/ports.c kernel/net/uplink.c kernel/net/uplink_none.c
uplink_lost_FIRST := -I$(ROOT)/kernel/net
uplink_lost_CFLAGS := -DMESH_PORTS=1
