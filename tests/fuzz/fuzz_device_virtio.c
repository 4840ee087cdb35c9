/* SPDX-License-Identifier: MIT */
/*
 * Whatever a driver of a virtio device asks for, and whatever the device says that it is done with, in whatever order:
 * the device is told of pinned memory only (tests/host/fake_virtio.h follows each piece), and no piece is lost: when
 * the device has been done with all that it has, all pieces are free.
 *
 * Each step has eight bytes: what is done, queue and kind; an offset and a length, near a bound or any; or what the
 * device says.
 */
#include <errors.h>
#include <stdlib.h>

#include "fake_virtio.h"

struct cpu *host_this_cpu;
bool host_irq_on;

static u32 near(const u8 *bytes, u32 bound)
{
    u32 value;
    memcpy(&value, bytes, 4);
    return value >> 31 ? value : value >> 30 ? bound - (value & 15) : value & (bound - 1);
}

static void step(const u8 *b)
{
    u32 queue = b[0] & 1, size = fake_device.class->memory;
    u32 n = b[6] & 0x80 ? ~0u - b[7] : (u32)(b[6] << 8 | b[7]);
    struct virtqueue *q = fake_ring(queue);
    switch (b[0] >> 1 & 7) {
    case 0: done(b[0] >> 4 & 3); break;
    case 1: fake_says(queue, b[2] & 0x80 ? near(b + 2, VIRTQUEUE_PIECES) : b[2] & 63, n); break;
    case 2: q->used.index = (u16)(b[2] << 8 | b[3]); break;
    case 3: q->used.flags = b[2]; break;
    default: submit((b[0] & 1) | (b[1] & 12) | (b[1] >> 7 & b[1] & 2), near(b + 2, size), n);
    }
    fake_look(queue);
    if (fake.strays)
        abort();
}

/* The device is done with all, and with each at most once. */
static void settle(u32 queue)
{
    struct virtqueue *q = fake_ring(queue);
    submit(queue, ~0u, 1); /* drops a request that is being made */
    while (done(queue) != -EAGAIN)
        ;
    for (u32 i = 0; i < VIRTQUEUE_PIECES; i++)
        fake_says(queue, i, 0);
    while (done(queue) != -EAGAIN)
        ;
    unsigned n = 0;
    for (bool seen[VIRTQUEUE_PIECES] = { false }; q->free != VIRTQUEUE_PIECES; q->free = q->next[q->free], n++) {
        if (seen[q->free])
            abort();
        seen[q->free] = true;
    }
    if (n != VIRTQUEUE_PIECES)
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    fake_begin(&device_virtio_net);
    if (!device_virtio_net.start(&fake_device))
        abort();
    for (size_t at = 0; at + 8 <= size; at += 8)
        step(data + at);
    settle(0);
    settle(1);
    return 0;
}
