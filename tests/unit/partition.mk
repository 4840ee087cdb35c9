# SPDX-License-Identifier: MIT
TESTS += partition
partition_SRC := $(addprefix kernel/core/partition/,bakery.c ready.c window.c health.c stop.c event.c load.c previrt.c table.c)
partition_FIRST := -I$(ROOT)/tests/host/include -I$(ROOT)/kernel/arch/ppc405/include -Wno-int-to-pointer-cast
