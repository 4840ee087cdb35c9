# SPDX-License-Identifier: MIT
files-y := clock.c power_acpi.c uart.c
# What a layer that slips beneath the kernel would have to see.
files-$(call not,$(CONFIG_SELFVIRT)) += console.c power.c
# For guests of AMD-V.
files-$(if $(CONFIG_PARA),,$(if $(CONFIG_VM)$(CONFIG_SELFVIRT),y)) += quirks.c
# For drivers that are processes.
files-$(CONFIG_DEVICE) += pci.c pci_config.c pci_q35.c $(if $(CONFIG_DEVICE_VIRTIO),pci_parts.c pci_virtio.c,pci_ports.c)
