# SPDX-License-Identifier: MIT
files-y := access.c cpuid.c emulate.c guest_walk.c kvmpv.c lapic.c lapic_regs.c lapic_timer.c msr.c pc.c pc_life.c pc_table.c
files-y += $(if $(CONFIG_VMX),undefined.c,measure.c)
# A null hypercall, a byte to the UART.
fast-y := lapic.c pc.c
