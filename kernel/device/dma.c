/* SPDX-License-Identifier: MIT */
/*
 * dma.c - the calls by which a driver gives a virtio device places in its pinned memory, and gets them back
 * (kernel/api/dma.yaml). A driver says offsets; what they become no driver sees (virtqueue.h).
 */
#include <errors.h>
#include <generated/dma_calls.h>

#include "device.h"
#include "virtqueue.h"

/* Of `how`. */
#define HOW_QUEUE  3u
#define HOW_WRITES 4u
#define HOW_MORE   8u

/* Returns a virtio device of the caller's that has queue `queue`, or NULL, with the error. */
static struct device *device_with(const struct user *u, u32 handle, u32 queue, s64 *err)
{
    struct device *d = device_of(container_of(u, struct process_thread, user)->process, handle);
    *err = !d ? -EBADF : -EACCES;
    return likely(d && queue * PAGE_SIZE < d->class->rings) ? d : NULL;
}

/* These two are fast calls: interrupts are off. */
s64 dma_call_dma_submit(struct user *u, u32 handle, u32 how, u32 offset, u32 n)
{
    s64 result;
    struct device *d = device_with(u, handle, how & HOW_QUEUE, &result);
    if (unlikely(!d))
        return result;
    struct virtqueue *q = virtqueue_of(d, how & HOW_QUEUE);
    spin_lock_here(&d->lock);
    result = virtqueue_add(d, q, how & HOW_WRITES, offset, n);
    if (unlikely(result < 0))
        virtqueue_drop(q);
    else if (!(how & HOW_MORE) && virtqueue_offer(q))
        virtio_notify(&d->hal, how & HOW_QUEUE);
    spin_unlock(&d->lock);
    return result;
}

s64 dma_call_dma_done(struct user *u, u32 handle, u32 queue)
{
    s64 result;
    struct device *d = device_with(u, handle, queue, &result);
    if (unlikely(!d))
        return result;
    spin_lock_here(&d->lock);
    result = virtqueue_take(virtqueue_of(d, queue));
    spin_unlock(&d->lock);
    return result;
}
