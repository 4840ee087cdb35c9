# SPDX-License-Identifier: MIT
files-y := emulate.S emulate.c emulate_tables.c spr.c
