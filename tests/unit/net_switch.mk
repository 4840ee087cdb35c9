# SPDX-License-Identifier: MIT
TESTS += net_switch
net_switch_SRC := kernel/net/switch.c kernel/net/ports.c kernel/net/uplink_none.c
