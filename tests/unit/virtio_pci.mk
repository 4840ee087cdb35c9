# SPDX-License-Identifier: MIT
TESTS += virtio_pci
virtio_pci_SRC := kernel/board/pc/pci_parts.c $(addprefix kernel/device/,dma.c virtio.c virtqueue.c) kernel/lib/string.c
virtio_pci_INCLUDES := kernel/board/pc/pci_virtio.c
virtio_pci_CFLAGS := -I$(OUT)/include $(X86)
virtio_pci_FIRST := -I$(ROOT)/kernel/board/pc/include
$(OUT)/test_virtio_pci: $(OUT)/include/generated/dma_calls.h
