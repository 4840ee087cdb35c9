# SPDX-License-Identifier: MIT
TESTS += system
system_SRC := $(CORE_SRC) $(addprefix kernel/core/,domain.c keeper.c domain_end.c system_table.c system_check.c system_outline.c monitor.c report.c panic.c system.c \
              system_run.c system_commands.c cores.c main.c) kernel/ipc/tunnel.c kernel/core/split_none.c
system_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
TESTS += cores
cores_SRC := $(system_SRC)
cores_CFLAGS := $(system_CFLAGS)
