# SPDX-License-Identifier: MIT
files-y := clock.c console.c plic.c power.c
# Interrupts: of the serial port alone, or of devices, too, that processes drive.
files-y += $(if $(CONFIG_DEVICE),line.c mmio.c,irq.c)
files-$(CONFIG_CLUSTER) += noc.c
