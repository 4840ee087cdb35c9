# SPDX-License-Identifier: MIT
TESTS += virtio_queue
virtio_queue_SRC := $(VIRTIO_SRC) kernel/net/uplink_none.c
