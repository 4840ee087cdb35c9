# SPDX-License-Identifier: MIT
needs := $(CONFIG_CLUSTER)
calls-y := cluster
files-y := calls.c calls_portal.c end.c lane.c lane_notice.c lane_slots.c letters.c mailbox.c master.c order.c peer.c peer_owners.c peer_signals.c portal.c portal_notices.c portal_wire.c request.c sync.c sync_table.c watch.c
files-y += $(if $(CONFIG_NO_ENGINE),no_dma.c,dma.c dma_copy.c portal_long.c)
fast-y := calls.c calls_portal.c dma.c dma_copy.c lane.c lane_notice.c lane_slots.c letters.c mailbox.c master.c peer.c peer_signals.c portal_long.c portal_notices.c portal_wire.c request.c
files-$(CONFIG_CLUSTER_REMOTE_ALL) += remote.c semaphore.c
fast-$(CONFIG_CLUSTER_REMOTE_ALL) += remote.c semaphore.c
calls-$(CONFIG_CLUSTER_REMOTE_ALL) += remote
dispatch-$(CONFIG_CLUSTER_REMOTE_ALL) += remote
defines-$(CONFIG_CLUSTER_REMOTE_ALL) += REMOTE_ALL=1
files-$(CONFIG_CLUSTER_CORES) += cores.c
calls-$(CONFIG_CLUSTER_CORES) += core
files-y += policy_$(CONFIG_CLUSTER_CACHE:"%"=%).c
fast-y += policy_$(CONFIG_CLUSTER_CACHE:"%"=%).c
