# SPDX-License-Identifier: MIT
TESTS += lane letters cluster
lane_SRC := kernel/cluster/lane.c
letters_SRC := kernel/cluster/order.c
letters_INCLUDES := $(addprefix kernel/cluster/,letters.c letters.h portal_notices.c)
cluster_SRC := $(addprefix kernel/cluster/,dma_copy.c end.c lane.c letters.c mailbox.c order.c peer.c portal.c portal_long.c portal_notices.c portal_wire.c sync.c sync_table.c)
cluster_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
