# SPDX-License-Identifier: MIT
FUZZERS += virtio_parts
virtio_parts_SRC := kernel/board/pc/pci_parts.c
virtio_parts_CFLAGS := -I$(ROOT)/kernel/board/pc/include
virtio_parts_MAX_LEN := 256
