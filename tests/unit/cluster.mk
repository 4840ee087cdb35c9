# SPDX-License-Identifier: MIT
TESTS += lane cluster
lane_SRC := kernel/cluster/lane.c
cluster_SRC := $(addprefix kernel/cluster/,dma_copy.c end.c lane.c letters.c mailbox.c peer.c portal.c portal_long.c portal_wire.c sync.c sync_table.c)
cluster_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
