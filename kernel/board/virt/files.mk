# SPDX-License-Identifier: MIT
files-y := clock.c console.c plic.c power.c
# Interrupts: of the serial port alone, or of devices, too, that processes drive, by this kernel's hand or by the firmware's.
files-y += $(if $(CONFIG_DEVICE),$(if $(CONFIG_DEVICE_FIRMWARE),lent.c,line.c mmio.c),irq.c)
files-$(CONFIG_CLUSTER) += noc.c
