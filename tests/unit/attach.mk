# SPDX-License-Identifier: MIT
attach_flags := -include $(ROOT)/tests/host/attach_host.h -I$(ROOT)/kernel/arch/x86_64/include -I$(ROOT)/kernel/board/linux/include

TESTS += attach_state
attach_state_SRC := $(addprefix kernel/arch/x86_64/,attach_enter.c attach_msr.c attach_npt.c npt.c)
attach_state_CFLAGS := $(attach_flags)

TESTS += attach_exits
attach_exits_SRC := $(addprefix kernel/arch/x86_64/,attach_cpu.c attach_exit.c)
attach_exits_CFLAGS := -include $(ROOT)/kernel/arch/x86_64/include/arch/percpu.h $(attach_flags)

TESTS += attach_calls
attach_calls_SRC := kernel/attach/call.c kernel/attach/guard.c kernel/attach/memory.c
attach_calls_CFLAGS := $(attach_flags)

TESTS += attach_apic
attach_apic_SRC := $(addprefix kernel/arch/x86_64/,attach_apic.c attach_fetch.c attach_npt.c decode.c npt.c)
attach_apic_CFLAGS := $(attach_flags)

TESTS += attach_power
attach_power_SRC := kernel/attach/power.c $(addprefix kernel/arch/x86_64/,attach_port.c attach_fetch.c attach_npt.c decode.c npt.c)
attach_power_CFLAGS := $(attach_flags)

TESTS += linux_console
linux_console_SRC := kernel/board/linux/console.c
linux_console_CFLAGS := $(attach_flags)

TESTS += trap_vectors
trap_vectors_SRC := $(addprefix kernel/arch/x86_64/,traps.c attach_trap.c)
trap_vectors_CFLAGS := $(attach_flags) -include $(ROOT)/tests/host/trap_host.h
