# SPDX-License-Identifier: MIT
FUZZERS += system_load
system_load_SRC := tests/host/host.c $(addprefix kernel/core/,sched.c sched_wake.c window.c timer.c timer_set_none.c thread.c hurry.c wait.c irq.c frames.c log.c \
                   console.c console_ring.c console_text.c trace.c domain.c keeper.c domain_end.c system_table.c system_check.c system_outline.c monitor.c report.c panic.c system.c system_run.c \
                   system_commands.c cores.c main.c) kernel/ipc/tunnel.c kernel/core/split_none.c kernel/lib/string.c
# Tables that the linker gathers have no room for red zones.
system_load_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -mllvm -asan-globals=0
system_load_MAX_LEN := 256
system_load_PART := 5
system_load_ARGS := -detect_leaks=0
