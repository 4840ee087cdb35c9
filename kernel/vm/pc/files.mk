# SPDX-License-Identifier: MIT
files-y := access.c cpuid.c emulate.c guest_walk.c kvmpv.c lapic.c lapic_regs.c lapic_timer.c msr.c pc.c pc_life.c pc_table.c
files-y += $(if $(call not,$(CONFIG_VMX))$(CONFIG_VMX_AND_AMDV),measure.c,undefined.c)
# A null hypercall, a byte to the UART.
fast-y := lapic.c pc.c
# Of two back ends: what knows their records. What is called from elsewhere is in the lists of vm/files.mk.
twice-y := access.c cpuid.c emulate.c guest_walk.c lapic.c lapic_regs.c msr.c pc.c pc_life.c
first-y := measure.c
other-y := undefined.c
