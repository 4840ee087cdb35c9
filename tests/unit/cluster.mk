# SPDX-License-Identifier: MIT
TESTS += lane lane_slots letters cluster cluster_lives
lane_SRC := $(addprefix kernel/cluster/,lane.c lane_notice.c lane_slots.c)
lane_slots_SRC := $(lane_SRC)
letters_SRC := kernel/cluster/order.c
letters_INCLUDES := $(addprefix kernel/cluster/,letters.c portal_notices.c)
cluster_SRC := $(addprefix kernel/cluster/,dma_copy.c end.c lane.c lane_notice.c lane_slots.c letters.c mailbox.c order.c peer.c peer_owners.c peer_signals.c portal.c portal_long.c portal_notices.c portal_wire.c sync.c sync_table.c)
cluster_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
cluster_lives_SRC := $(cluster_SRC)
cluster_lives_CFLAGS := $(cluster_CFLAGS)
