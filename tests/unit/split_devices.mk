# SPDX-License-Identifier: MIT
TESTS += split_devices
split_devices_SRC := $(VIRTIO_SRC) kernel/net/split_net.c kernel/net/uplink.c kernel/block/split_disk.c kernel/vm/virtio/split_block.c
