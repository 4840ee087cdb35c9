# SPDX-License-Identifier: MIT
TESTS += partition
partition_CORE := $(addprefix kernel/partition/,bakery.c ready.c window.c health.c stop.c event.c load.c previrt.c table.c table_records.c) tests/host/partition_bell.c
partition_SRC := $(partition_CORE) kernel/vm/ppc405/tunnel_none.c
partition_INCLUDES := kernel/partition/sched.c
partition_FIRST := -I$(ROOT)/tests/host/include -I$(ROOT)/kernel/arch/ppc405/include -Wno-int-to-pointer-cast
TESTS += partition_events
partition_events_SRC := $(partition_SRC)
partition_events_INCLUDES := $(partition_INCLUDES)
partition_events_FIRST := $(partition_FIRST)
# With the guests' own timers, and with the calls of monitors.
PYTHON ?= python3
TESTS += partition_orders
partition_orders_SRC := $(partition_SRC) $(addprefix kernel/vm/ppc405/,timers.c monitor.c)
partition_orders_INCLUDES := $(partition_INCLUDES)
partition_orders_FIRST := $(partition_FIRST) -I$(ROOT)/kernel/vm/ppc405 -I$(OUT)/ppc405
$(OUT)/test_partition_orders: $(OUT)/ppc405/generated/api_calls.h
$(OUT)/ppc405/generated/api_calls.h: $(ROOT)/kernel/api/calls.yaml $(ROOT)/tools/amalgam/api/generate.py
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ ppc405
# Tunnels, and their withdrawal by monitors on several cores.
TESTS += partition_withdraw
partition_withdraw_SRC := $(partition_CORE) $(addprefix kernel/vm/ppc405/,tunnel.c withdraw.c)
partition_withdraw_INCLUDES := $(partition_INCLUDES)
partition_withdraw_FIRST := $(partition_orders_FIRST) '-DSHARED_SECTION=".data"'
$(OUT)/test_partition_withdraw: $(OUT)/ppc405/generated/api_calls.h
partition_withdraw_LEVEL := -O1
