# SPDX-License-Identifier: MIT
TESTS += virtio_mmio
virtio_mmio_SRC := $(VIRTIO_SRC) kernel/net/uplink_none.c
