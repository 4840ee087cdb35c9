# SPDX-License-Identifier: MIT
files-y := apic.c backtrace.c entropy.c found.c idle.c memops.c stack.c time.c traps.c
files-y += $(if $(CONFIG_DYNAMIC),init_keep.c stack_trim.c,init_drop.c)
files-$(call not,$(CONFIG_ATTACH)$(CONFIG_SCC)) += $(if $(CONFIG_DEVICE),line.c trap_line.c,trap_fatal.c)
# A core leaves VMX operation first (vmx/halt.c).
files-$(call not,$(CONFIG_VMX)) += halt.c
# What the board expects beside these it says itself (board/scc/interrupt.c).
files-$(CONFIG_SCC) += $(if $(CONFIG_DEVICE),line.c,line_none.c)
files-y += $(if $(CONFIG_PROCESS),user_fault.c,user_fault_none.c)
# What a layer that slips beneath the kernel would have to see.
files-$(call not,$(CONFIG_SELFVIRT)) += direct.c
# The compiler itself calls these.
nolto-y := memops.c
