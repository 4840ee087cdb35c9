/* SPDX-License-Identifier: MIT */
/*
 * virtio.c - the classes of virtio devices (Virtual I/O Device 1.1: 3.1 says how one begins, 4.2.2 has the registers).
 *
 * Everything that tells a device an address is the kernel's: it makes the device ready before each run of the driver,
 * with features by which no other memory is reached (no packed rings, no lists of pieces elsewhere, no rings of
 * control), and queues of its own (virtqueue.h). A driver reads the device's configuration and writes no register. The
 * configuration comes first in the registers' numbers, those of the transport behind it.
 */
#include <errors.h>

#include "device.h"
#include "virtqueue.h"

enum {
    CONFIG = 0,
    TRANSPORT = 0x100,
    FEATURES = TRANSPORT + 0x10,
    FEATURES_WORD = TRANSPORT + 0x14,
    CHOSEN = TRANSPORT + 0x20,
    CHOSEN_WORD = TRANSPORT + 0x24,
    QUEUE = TRANSPORT + 0x30,
    QUEUE_MOST = TRANSPORT + 0x34,
    QUEUE_SIZE = TRANSPORT + 0x38,
    QUEUE_READY = TRANSPORT + 0x44,
    QUEUE_NOTIFY = TRANSPORT + 0x50,
    INTERRUPT = TRANSPORT + 0x60,
    INTERRUPT_SEEN = TRANSPORT + 0x64,
    STATUS = TRANSPORT + 0x70,
    QUEUE_PIECES = TRANSPORT + 0x80, /* addresses: two words each */
    QUEUE_OFFERED = TRANSPORT + 0x90,
    QUEUE_USED = TRANSPORT + 0xa0,
};

#define STATUS_SEEN     1u
#define STATUS_DRIVER   2u
#define STATUS_RUNS     4u
#define STATUS_FEATURES 8u

#define VERSION_1   1u /* in the second word of features */
#define NET_MAC     (1u << 5)
#define NET_STATUS  (1u << 16)
#define BLOCK_SIZE  (1u << 6)
#define BLOCK_FLUSH (1u << 9)

enum { R1 = 1, R2 = 2, R4 = 4 };

static void put(const struct hal_device *d, u32 at, u32 value) { hal_device_write(d, at, 4, value); }
static u32 get(const struct hal_device *d, u32 at) { return hal_device_read(d, at, 4); }

void virtio_notify(const struct hal_device *d, u32 queue) { put(d, QUEUE_NOTIFY, queue); }

static void put_address(const struct hal_device *d, u32 at, const void *p)
{
    u64 address = virt_to_phys(p);
    put(d, at, (u32)address);
    put(d, at + 4, (u32)(address >> 32));
}

static bool is_reset(const struct hal_device *d) { return !get(d, STATUS); }
static void reset(const struct hal_device *d, struct device_state *s) { put(d, STATUS, 0); }

/* The order of 4.2.3.2. Returns whether the device has such a queue. */
static bool start_queue(struct device *d, u32 i)
{
    const struct hal_device *hal = &d->hal;
    struct virtqueue *q = virtqueue_of(d, i);
    put(hal, QUEUE, i);
    if (get(hal, QUEUE_READY) || get(hal, QUEUE_MOST) < VIRTQUEUE_PIECES)
        return false;
    virtqueue_begin(q);
    put(hal, QUEUE_SIZE, VIRTQUEUE_PIECES);
    put_address(hal, QUEUE_PIECES, q->piece);
    put_address(hal, QUEUE_OFFERED, &q->offered);
    put_address(hal, QUEUE_USED, &q->used);
    put(hal, QUEUE_READY, 1);
    return true;
}

/* The order of 3.1.1. */
static bool start(struct device *d)
{
    const struct hal_device *hal = &d->hal;
    u32 status = STATUS_SEEN | STATUS_DRIVER;
    put(hal, STATUS, status);
    put(hal, FEATURES_WORD, 1);
    if (!(get(hal, FEATURES) & VERSION_1))
        return false;
    put(hal, CHOSEN_WORD, 1);
    put(hal, CHOSEN, VERSION_1);
    put(hal, FEATURES_WORD, 0);
    put(hal, CHOSEN_WORD, 0);
    put(hal, CHOSEN, get(hal, FEATURES) & d->class->features);
    put(hal, STATUS, status |= STATUS_FEATURES);
    if (get(hal, STATUS) != status)
        return false;
    for (u32 i = 0; i < d->class->rings / PAGE_SIZE; i++)
        if (!start_queue(d, i))
            return false;
    put(hal, STATUS, status | STATUS_RUNS);
    return true;
}

/* What comes after this is a new interrupt. */
static void seen(const struct hal_device *d) { put(d, INTERRUPT_SEEN, get(d, INTERRUPT)); }

static int write(const struct hal_device *d, struct device_state *s, u32 at, u32 width, u32 value) { return -EACCES; }

/* Queue 0: frames that come, 1: frames to send. Each has a head of 12 bytes (5.1.6). A shorter one is refused: QEMU 7.2
 * ends by it, and all that the board has with it (iov_copy: Assertion `offset == 0'). */
const struct device_class device_virtio_net = {
    .kind = { "virtio-net", .virtio = 1 },
    .number = 1,
    .memory = 256 * KIB,
    .rings = 2 * PAGE_SIZE,
    .head = 12,
    .features = NET_MAC | NET_STATUS,
    .access = { [CONFIG... CONFIG + 5] = R1, [CONFIG + 6] = R2 }, /* the address, the link */
    .write = write,
    .reset = reset,
    .is_reset = is_reset,
    .start = start,
    .seen = seen,
};
DEVICE_CLASS(device_virtio_net);

/* One queue, of requests with a head and a byte of status (5.2.6). */
const struct device_class device_virtio_block = {
    .kind = { "virtio-blk", .virtio = 2 },
    .number = 2,
    .memory = 128 * KIB,
    .rings = PAGE_SIZE,
    .head = 16,
    .features = BLOCK_SIZE | BLOCK_FLUSH,
    .access = { [CONFIG] = R4, [CONFIG + 4] = R4, [CONFIG + 20] = R4 }, /* sectors of 512 bytes, bytes of a block */
    .write = write,
    .reset = reset,
    .is_reset = is_reset,
    .start = start,
    .seen = seen,
};
DEVICE_CLASS(device_virtio_block);
