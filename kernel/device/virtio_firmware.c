/* SPDX-License-Identifier: MIT */
/*
 * virtio_firmware.c - the classes of virtio devices whose registers and queues are the firmware's (hal/virtio.h), in
 * place of virtio.c. To drivers they are the same. The firmware, which is trusted by all clusters, tells a device of
 * this kernel's memory only; this kernel, which it believes nothing, tells it of pinned memory only (dma_firmware.c).
 */
#include <errors.h>
#include <hal/virtio.h>

#include "device.h"

enum { R1 = 1, R2 = 2, R4 = 4 };

static void reset(const struct hal_device *d, struct device_state *s) { hal_virtio_reset(d); }
static bool virtio_start(struct device *d) { return hal_virtio_start(&d->hal); }
static int write(const struct hal_device *d, struct device_state *s, u32 at, u32 width, u32 value) { return -EACCES; }

/* Queue 0: frames that come, 1: frames to send; each with a head of 12 bytes. */
const struct device_class device_virtio_net = {
    .kind = { "virtio-net", .virtio = 1 },
    .number = 1,
    .memory = 256 * KIB,
    .access = { [0 ... 5] = R1, [6] = R2 }, /* the address, the link */
    .write = write,
    .reset = reset,
    .is_reset = hal_virtio_is_reset,
    .start = virtio_start,
};
DEVICE_CLASS(device_virtio_net);

/* One queue, of requests with a head of 16 bytes and a byte of status. */
const struct device_class device_virtio_block = {
    .kind = { "virtio-blk", .virtio = 2 },
    .number = 2,
    .memory = 128 * KIB,
    .access = { [0] = R4, [4] = R4, [20] = R4 }, /* sectors of 512 bytes, bytes of a block */
    .write = write,
    .reset = reset,
    .is_reset = hal_virtio_is_reset,
    .start = virtio_start,
};
DEVICE_CLASS(device_virtio_block);
