# SPDX-License-Identifier: MIT
needs := $(CONFIG_DEVICE)
calls-y := device $(if $(CONFIG_DEVICE_VIRTIO),dma) $(if $(CONFIG_DEVICE_BLOCKS),blocks)
files-y := calls.c grant.c interrupt.c
files-$(if $(filter x86,$(ARCH)),y) += rtl8139.c
files-$(CONFIG_DEVICE_VIRTIO) += $(if $(CONFIG_DEVICE_FIRMWARE),dma_firmware.c virtio_firmware.c,dma.c virtio.c virtqueue.c)
files-$(CONFIG_DEVICE_BLOCKS) += blocks.c
# What a driver does for each frame.
fast-y := calls.c interrupt.c $(if $(CONFIG_DEVICE_VIRTIO),dma.c dma_firmware.c virtqueue.c)
