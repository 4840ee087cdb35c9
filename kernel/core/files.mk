# SPDX-License-Identifier: MIT
needs := $(call not,$(CONFIG_PARTITIONS))
files-y := console.c console_ring.c console_text.c domain.c frames.c irq.c keeper.c log.c main.c panic.c sched.c sched_wake.c \
           system.c system_check.c system_outline.c system_table.c thread.c timer.c trace.c wait.c window.c
files-$(call not,$(CONFIG_NO_MONITOR)) += monitor.c report.c
# Systems and cores that come and go.
files-$(CONFIG_DYNAMIC) += cores.c domain_end.c system_run.c system_commands.c
files-$(CONFIG_CLUSTER) += awake.c fresh.c
files-$(CONFIG_CONSOLE_POLLED) += console_polled.c
# Where processes read what is typed, that waits in its port.
files-$(CONFIG_SPAWN) += console_hold.c
files-y += $(if $(CONFIG_PROCESS),timer_set.c,timer_set_none.c)
# On an SCC a core has one program, but for processes; who has no control console has nobody who asks.
hurry := $(if $(CONFIG_SCC),$(CONFIG_PROCESS),y)
files-y += $(if $(if $(CONFIG_NO_MONITOR),,$(hurry)),hurry.c,hurry_none.c)
files-$(CONFIG_SCC) += elsewhere.c
files-$(call not,$(CONFIG_SPLIT)) += split_none.c
fast-y := sched.c sched_wake.c timer.c
# Its strings are freed with its text (arch/riscv/kernel.lds).
nolto-y := $(if $(filter riscv,$(ARCH)),system_check.c)
# How the console's rings are used where there are many kernels (console_ring.c).
defines-$(CONFIG_CLUSTER) += CONSOLE_DIRECT=1
defines-$(CONFIG_SCC) += CONSOLE_COUNTED=1
defines-$(CONFIG_CONSOLE_POLLED) += CONSOLE_POLLED=1
defines-$(CONFIG_SPAWN) += CONSOLE_HOLD=1
