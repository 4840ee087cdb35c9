# SPDX-License-Identifier: MIT
files-y := clock.c console.c power.c
# For guests.
files-$(if $(CONFIG_VM)$(CONFIG_SELFVIRT),y) += quirks.c
# For drivers that are processes.
files-$(CONFIG_DEVICE) += pci.c
