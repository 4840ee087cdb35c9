# SPDX-License-Identifier: MIT
TESTS += virtio_block
virtio_block_SRC := $(VIRTIO_SRC) kernel/net/uplink_none.c
