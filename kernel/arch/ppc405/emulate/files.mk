# SPDX-License-Identifier: MIT
files-$(CONFIG_DRIVER) := lent_call.c
files-y += emulate.S emulate.c emulate_tables.c spr.c
