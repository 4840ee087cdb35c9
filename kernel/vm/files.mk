# SPDX-License-Identifier: MIT
needs := $(CONFIG_VM)
threads := $(call not,$(CONFIG_PARTITIONS))
files-$(threads) += hypercall.c io.c run.c stats.c vm.c
files-$(if $(threads),$(CONFIG_DYNAMIC)) += vm_destroy.c
# Other kernels of the board have the same system.
files-$(threads) += $(if $(CONFIG_SCC),here.c,here_all.c)
# Where instructions are counted (bench/exits): the way of a byte to the UART.
fast-$(threads) += io.c run.c
# Of a kernel with two back ends: what knows their records, and what the rest of it calls of that and of vm/pc.
twice-y := run.c stats.c
twin-calls := hal_guest_enable lapic_accept machine_cancel_timers machine_channel_at machine_channel_line machine_input \
              machine_interruptible machine_start machine_stats pc_parts stage2_map stage2_unmap vcpu_flush vcpu_kick vcpu_request \
              vcpu_stats vcpu_thread vm_apic_message vm_extint vm_irq_line vm_request_input vm_request_pit
twin-apart := arch/x86/amdv/decode.c vm/run.c vm/pc/access.c vm/pc/emulate.c vm/pc/guest_walk.c vm/pc/lapic.c vm/pc/lapic_regs.c vm/pc/pc.c
twin-init-calls := hal_vcpu_create machine_create machine_memory machine_vcpu_init stage2_init
defines-$(CONFIG_VMX_AND_AMDV) += VCPU_RECORD=768
# The folders of the machine that guests see.
dirs-y := $(arch-vm)
