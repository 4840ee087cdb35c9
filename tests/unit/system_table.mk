# SPDX-License-Identifier: MIT
TESTS += system_table
system_table_SRC := kernel/core/system_table.c kernel/core/system_check.c kernel/core/system_outline.c kernel/vm/pc/pc_table.c tests/host/vm_kind.c kernel/lib/string.c
