# SPDX-License-Identifier: MIT
TESTS += virtio_net
virtio_net_SRC := $(VIRTIO_SRC) kernel/net/uplink_none.c
