# SPDX-License-Identifier: MIT
TESTS += split_devices
split_devices_SRC := kernel/vm/virtio/mmio.c kernel/vm/virtio/queue.c kernel/vm/virtio/console.c kernel/vm/virtio/block.c kernel/vm/virtio/net.c kernel/net/switch.c kernel/net/ports.c kernel/net/split_net.c kernel/block/split_disk.c kernel/vm/virtio/split_block.c kernel/vm/virtio/rng.c tests/host/fake_vm.c
