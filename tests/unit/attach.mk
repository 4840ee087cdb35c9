# SPDX-License-Identifier: MIT
attach_flags := -include $(ROOT)/tests/host/attach_host.h $(X86) -I$(ROOT)/kernel/board/linux/include

TESTS += attach_state
attach_state_SRC := $(addprefix kernel/arch/x86/,attach/enter.c attach/msr.c attach/npt.c amdv/npt.c)
attach_state_CFLAGS := $(attach_flags)

TESTS += attach_exits
attach_exits_SRC := $(addprefix kernel/arch/x86/,attach/cpu.c attach/maps.c attach/refuse.c attach/exit.c)
attach_exits_CFLAGS := -include $(ROOT)/kernel/arch/x86/64/include/arch/percpu.h $(attach_flags)

TESTS += attach_calls
attach_calls_SRC := kernel/attach/call.c kernel/attach/guard.c kernel/attach/memory.c kernel/arch/x86/attach/cpus.c
attach_calls_CFLAGS := $(attach_flags)

TESTS += attach_apic
attach_apic_SRC := $(addprefix kernel/arch/x86/,attach/apic.c attach/fetch.c attach/npt.c amdv/decode.c amdv/npt.c)
attach_apic_CFLAGS := $(attach_flags)

TESTS += attach_power
attach_power_SRC := kernel/attach/power.c $(addprefix kernel/arch/x86/,attach/port.c attach/fetch.c attach/npt.c amdv/decode.c amdv/npt.c)
attach_power_CFLAGS := $(attach_flags)

TESTS += attach_clock
attach_clock_SRC := kernel/arch/x86/attach/core_clock.c
attach_clock_CFLAGS := $(attach_flags)

TESTS += attach_reset
attach_reset_SRC := kernel/arch/x86/attach/core_reset.c
attach_reset_CFLAGS := -include $(ROOT)/kernel/arch/x86/64/include/arch/percpu.h $(attach_flags)

TESTS += linux_console
linux_console_SRC := kernel/board/linux/console.c
linux_console_CFLAGS := $(attach_flags)

TESTS += trap_vectors
trap_vectors_SRC := $(addprefix kernel/arch/x86/,cpu/traps.c cpu/user_fault_none.c attach/trap.c)
trap_vectors_CFLAGS := $(attach_flags) -include $(ROOT)/tests/host/trap_host.h
