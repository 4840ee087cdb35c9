/* SPDX-License-Identifier: MIT */
/*
 * dma_firmware.c - the calls by which a driver gives a virtio device places in its pinned memory, and gets them back
 * (kernel/api/dma.yaml), where the queues are the firmware's; in place of dma.c. The firmware has its own lock, and
 * refuses a queue that the device does not have.
 */
#include <errors.h>
#include <generated/dma_calls.h>
#include <hal/virtio.h>

#include "device.h"

static const struct device *of_caller(const struct user *u, u32 handle)
{
    return device_of(container_of(u, struct process_thread, user)->process, handle);
}

/* These two are fast calls: interrupts are off. What is not pinned memory becomes a piece of no bytes, which the
 * firmware refuses, with the request that is being made. */
s64 dma_call_dma_submit(struct user *u, u32 handle, u32 how, u32 offset, u32 n)
{
    const struct device *d = of_caller(u, handle);
    if (unlikely(!d))
        return -EBADF;
    u32 size = d->class->memory;
    if (unlikely(offset > size || n > size - offset))
        offset = n = 0;
    return hal_virtio_submit(&d->hal, how, d->state.memory + offset, n);
}

s64 dma_call_dma_done(struct user *u, u32 handle, u32 queue)
{
    const struct device *d = of_caller(u, handle);
    return likely(d) ? hal_virtio_done(&d->hal, queue) : -EBADF;
}
