# SPDX-License-Identifier: MIT
TESTS += virtio_console
virtio_console_SRC := $(VIRTIO_SRC) kernel/net/uplink_none.c
