# SPDX-License-Identifier: MIT
files-y := calls.c calls_portal.c end.c lane.c lane_little.c letters.c mailbox.c master.c order.c peer.c portal.c portal_notices.c portal_wire.c request.c sync.c sync_table.c watch.c
files-y += $(if $(CONFIG_NO_ENGINE),no_dma.c,dma.c dma_copy.c portal_long.c)
fast-y := calls.c calls_portal.c dma.c dma_copy.c lane.c lane_little.c letters.c mailbox.c master.c peer.c portal_long.c portal_notices.c portal_wire.c request.c
files-y += policy_$(CONFIG_CLUSTER_CACHE:"%"=%).c
fast-y += policy_$(CONFIG_CLUSTER_CACHE:"%"=%).c
