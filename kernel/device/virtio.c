/* SPDX-License-Identifier: MIT */
/*
 * virtio.c - the classes of virtio devices (Virtual I/O Device 1.1: 3.1 says how one begins). Where the registers are
 * is the board's (board/virtio.h): in memory or on PCI; all else is the same.
 *
 * Everything that tells a device an address is the kernel's: it makes the device ready before each run of the driver,
 * with features by which no other memory is reached (no packed rings, no lists of pieces elsewhere, no rings of
 * control), and queues of its own (virtqueue.h). A driver reads the device's configuration and writes no register.
 */
#include <board/virtio.h>
#include <errors.h>

#include "device.h"
#include "virtqueue.h"

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

static void put(const struct hal_device *d, u32 at, u32 value)
{
    hal_device_write(d, VIRTIO_AT(at), VIRTIO_BYTES(at), value);
}
static u32 get(const struct hal_device *d, u32 at) { return hal_device_read(d, VIRTIO_AT(at), VIRTIO_BYTES(at)); }

void virtio_notify(const struct hal_device *d, u32 queue) { put(d, VIRTIO_QUEUE_NOTIFY, queue); }

static void put_address(const struct hal_device *d, u32 at, const void *p)
{
    u64 address = virt_to_phys(p);
    put(d, at, (u32)address);
    put(d, at + 4, (u32)(address >> 32));
}

static bool is_reset(const struct hal_device *d) { return !get(d, VIRTIO_STATUS); }
static void reset(const struct hal_device *d, struct device_state *s) { put(d, VIRTIO_STATUS, 0); }

/* The order of 4.2.3.2. Returns whether the device has such a queue. */
static bool start_queue(struct device *d, u32 i)
{
    const struct hal_device *hal = &d->hal;
    struct virtqueue *q = virtqueue_of(d, i);
    put(hal, VIRTIO_QUEUE, i);
    if (get(hal, VIRTIO_QUEUE_READY) || get(hal, VIRTIO_QUEUE_MOST) < VIRTQUEUE_PIECES || !virtio_find_bell(hal, i))
        return false;
    virtqueue_begin(q);
    put(hal, VIRTIO_QUEUE_SIZE, VIRTQUEUE_PIECES);
    put_address(hal, VIRTIO_QUEUE_PIECES, q->piece);
    put_address(hal, VIRTIO_QUEUE_OFFERED, &q->offered);
    put_address(hal, VIRTIO_QUEUE_USED, &q->used);
    put(hal, VIRTIO_QUEUE_READY, 1);
    return true;
}

/* The order of 3.1.1. */
static bool virtio_start(struct device *d)
{
    const struct hal_device *hal = &d->hal;
    u32 status = STATUS_SEEN | STATUS_DRIVER;
    put(hal, VIRTIO_STATUS, status);
    put(hal, VIRTIO_FEATURES_WORD, 1);
    if (!(get(hal, VIRTIO_FEATURES) & VERSION_1))
        return false;
    put(hal, VIRTIO_CHOSEN_WORD, 1);
    put(hal, VIRTIO_CHOSEN, VERSION_1);
    put(hal, VIRTIO_FEATURES_WORD, 0);
    put(hal, VIRTIO_CHOSEN_WORD, 0);
    put(hal, VIRTIO_CHOSEN, get(hal, VIRTIO_FEATURES) & d->class->features);
    put(hal, VIRTIO_STATUS, status |= STATUS_FEATURES);
    if (get(hal, VIRTIO_STATUS) != status)
        return false;
    for (u32 i = 0; i < d->class->rings / PAGE_SIZE; i++)
        if (!start_queue(d, i))
            return false;
    put(hal, VIRTIO_STATUS, status | STATUS_RUNS);
    return true;
}

/* What comes after this is a new interrupt. */
static void seen(const struct hal_device *d)
{
    if (VIRTIO_INTERRUPT_SEEN)
        put(d, VIRTIO_INTERRUPT_SEEN, get(d, VIRTIO_INTERRUPT));
    else
        get(d, VIRTIO_INTERRUPT);
}

static int write(const struct hal_device *d, struct device_state *s, u32 at, u32 width, u32 value) { return -EACCES; }

/* Queue 0: frames that come, 1: frames to send. Each has a head of 12 bytes (5.1.6). A shorter one is refused,
 * and what the card may write behind what it reads: QEMU 7.2 ends by either, and all that the board has with it
 * (iov_copy, iov_from_buf: Assertion `offset == 0'). */
const struct device_class device_virtio_net = {
    .kind = { "virtio-net", .pci = 0x10411af4u, .virtio = 1 },
    .number = 1,
    .memory = 256 * KIB,
    .rings = 2 * PAGE_SIZE,
    .head = 12,
    .one_way = true,
    .features = NET_MAC | NET_STATUS,
    .access = { [VIRTIO_CONFIG... VIRTIO_CONFIG + 5] = R1, [VIRTIO_CONFIG + 6] = R2 }, /* the address, the link */
    .write = write,
    .reset = reset,
    .is_reset = is_reset,
    .start = virtio_start,
    .seen = seen,
};
DEVICE_CLASS(device_virtio_net);

/* One queue, of requests with a head and a byte of status (5.2.6). */
const struct device_class device_virtio_block = {
    .kind = { "virtio-blk", .pci = 0x10421af4u, .virtio = 2 },
    .number = 2,
    .memory = 128 * KIB,
    .rings = PAGE_SIZE,
    .head = 16,
    .features = BLOCK_SIZE | BLOCK_FLUSH,
    .access = { [VIRTIO_CONFIG] = R4,
                [VIRTIO_CONFIG + 4] = R4,
                [VIRTIO_CONFIG + 20] = R4 }, /* sectors of 512 bytes, bytes of a block */
    .write = write,
    .reset = reset,
    .is_reset = is_reset,
    .start = virtio_start,
    .seen = seen,
};
DEVICE_CLASS(device_virtio_block);
