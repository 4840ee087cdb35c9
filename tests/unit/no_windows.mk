# SPDX-License-Identifier: MIT
TESTS += no_windows
no_windows_SRC := kernel/core/system_table.c kernel/core/system_check.c kernel/core/system_outline.c kernel/vm/pc/pc_table.c tests/host/vm_kind.c kernel/lib/string.c
no_windows_CFLAGS := -DSCHED_WINDOWS=0
