# SPDX-License-Identifier: MIT
files-y := bakery.c ready.c sched.c start.c state.c stop.c table.c
files-y += $(if $(CONFIG_HEALTH),event.c health.c load.c,health_none.c load_once.c)
files-y += $(if $(CONFIG_PREVIRT),previrt.c,previrt_none.c)
files-y += $(if $(CONFIG_TABLE_CHECK),table_records.c,table_records_none.c)
files-y += $(if $(CONFIG_FIXED_PRIORITY),fixed.c,window.c)
