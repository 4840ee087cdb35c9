# SPDX-License-Identifier: MIT
needs := $(CONFIG_PARTITIONS)
files-y := bakery.c ready.c sched.c start.c state.c stop.c table.c
files-y += $(if $(CONFIG_HEALTH),event.c health.c load.c,load_once.c)
files-$(CONFIG_PREVIRT) += previrt.c
files-$(CONFIG_TABLE_CHECK) += table_records.c
files-y += $(if $(CONFIG_FIXED_PRIORITY),fixed.c,window.c)
defines-$(CONFIG_DOORBELL) += PARTITION_BELLS=1
