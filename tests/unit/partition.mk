# SPDX-License-Identifier: MIT
TESTS += partition
partition_SRC := $(addprefix kernel/partition/,bakery.c ready.c window.c health.c stop.c event.c load.c previrt.c table.c table_records.c) tests/host/partition_bell.c
partition_INCLUDES := kernel/partition/sched.c
partition_FIRST := -I$(ROOT)/tests/host/include -I$(ROOT)/kernel/arch/ppc405/include -Wno-int-to-pointer-cast
TESTS += partition_events
partition_events_SRC := $(partition_SRC)
partition_events_INCLUDES := $(partition_INCLUDES)
partition_events_FIRST := $(partition_FIRST)
