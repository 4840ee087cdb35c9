# SPDX-License-Identifier: MIT
TESTS += lane lane_little letters cluster cluster_lives
lane_SRC := $(addprefix kernel/cluster/,lane.c lane_little.c)
lane_little_SRC := $(lane_SRC)
letters_SRC := kernel/cluster/order.c
letters_INCLUDES := $(addprefix kernel/cluster/,letters.c letters.h portal_notices.c)
cluster_SRC := $(addprefix kernel/cluster/,dma_copy.c end.c lane.c lane_little.c letters.c mailbox.c order.c peer.c portal.c portal_long.c portal_notices.c portal_wire.c sync.c sync_table.c)
cluster_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
cluster_lives_SRC := $(cluster_SRC)
cluster_lives_CFLAGS := $(cluster_CFLAGS)
