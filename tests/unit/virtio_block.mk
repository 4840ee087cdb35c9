# SPDX-License-Identifier: MIT
TESTS += virtio_block
virtio_block_SRC := kernel/vm/virtio/mmio.c kernel/vm/virtio/queue.c kernel/vm/virtio/console.c kernel/vm/virtio/block.c kernel/vm/virtio/net.c kernel/net/switch.c kernel/net/ports.c kernel/net/uplink_none.c kernel/vm/virtio/rng.c tests/host/fake_vm.c
