# SPDX-License-Identifier: MIT
PYTHON ?= python3
MASTER := master master_queued master_rings master_waits
TESTS += $(MASTER)
master_SRC := $(CORE_SRC) $(addprefix kernel/cluster/,lane.c lane_notice.c lane_slots.c peer.c peer_owners.c peer_signals.c request.c watch.c)
master_INCLUDES := kernel/cluster/master.c
master_CFLAGS := -I$(OUT)/include $(X86)
master_queued_SRC := $(master_SRC)
master_queued_INCLUDES := $(master_INCLUDES)
master_queued_CFLAGS := $(master_CFLAGS) -DREMOTE_ALL=1
master_rings_SRC := $(master_SRC)
master_rings_INCLUDES := $(master_INCLUDES)
master_rings_CFLAGS := $(master_CFLAGS)
master_waits_SRC := $(master_SRC)
master_waits_INCLUDES := $(master_INCLUDES)
master_waits_CFLAGS := $(master_CFLAGS)
$(MASTER:%=$(OUT)/test_%): $(OUT)/include/generated/cluster_calls.h
$(OUT)/include/generated/cluster_calls.h: $(ROOT)/kernel/api/cluster.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ cluster
