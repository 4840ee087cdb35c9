/* SPDX-License-Identifier: MIT */
/*
 * blocks.c - ranges of a disk's blocks as handles (kernel/api/blocks.yaml).
 *
 * The kernel reads no request for a disk: the process that drives it does, for others. A range is what the others show
 * it: only a driver makes one, of its own disk, so who has a handle of it was given that by the driver, or by who was.
 * The driver asks by each request, so a withdrawn range is refused from then on. The ranges end with their driver.
 */
#include <errors.h>
#include <generated/blocks_calls.h>
#include <process/part.h>

#include "device.h"

#define RANGES    8u /* of a disk */
#define PER_BLOCK 8u /* sectors */
#define CAPACITY  0u /* registers: sectors, two words (Virtual I/O Device 1.1, 5.2.4) */

static struct range {
    struct handle_object object;
    const struct device *disk;
    u32 first;
    u32 used; /* atomic */
} ranges[HAL_LINES][RANGES];

/* handle_ops.closed */
static void closed(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights)
{
    if (!(rights & HANDLE_OWN))
        return;
    handle_withdraw(o, self);
    __atomic_store_n(&container_of(o, struct range, object)->used, false, __ATOMIC_RELEASE);
}

static const struct handle_ops ops = { .closed = closed };

/* Returns a range of the disk that is nobody's, or NULL. */
static struct range *new_range(const struct device *d)
{
    for (struct range *r = ranges[d->line]; r < ranges[d->line] + RANGES; r++)
        if (r->object.generation != HANDLE_SPENT && !__atomic_exchange_n(&r->used, true, __ATOMIC_ACQUIRE))
            return r;
    return NULL;
}

static u64 capacity(const struct device *d)
{
    return ((u64)hal_device_read(&d->hal, CAPACITY + 4, 4) << 32 | hal_device_read(&d->hal, CAPACITY, 4)) / PER_BLOCK;
}

s64 blocks_call_blocks_make(struct process_thread *t, u32 handle, u32 first, u32 n, u32 writes)
{
    const struct device *d = device_of(t->process, handle);
    if (!d)
        return -EBADF;
    if (d->class != &device_virtio_block)
        return -EINVAL;
    u64 all = capacity(d);
    if (!n || first >= all || n > all - first)
        return -EINVAL;
    struct range *r = new_range(d);
    if (!r)
        return -ENOMEM;
    r->disk = d;
    r->first = first;
    r->object.kind = HANDLE_BLOCK;
    r->object.size = n;
    r->object.ops = &ops;
    s64 index =
        handle_give(t->process, &r->object, HANDLE_READ | (writes ? HANDLE_WRITE : 0) | HANDLE_SEND | HANDLE_OWN);
    if (index < 0)
        __atomic_store_n(&r->used, false, __ATOMIC_RELEASE);
    return index;
}

/* A fast call: interrupts are off. */
s64 blocks_call_blocks_first(struct user *u, u32 handle, u32 disk, u32 right)
{
    struct process *p = container_of(u, struct process_thread, user)->process;
    const struct device *d = device_of(p, disk);
    struct handle_object *o;
    if (!d)
        return -EBADF;
    s64 result = handle_take(p, handle, HANDLE_BLOCK, right, &o);
    if (result)
        return result;
    const struct range *r = container_of(o, struct range, object);
    result = r->disk == d ? (s64)r->first : -ENODEV;
    handle_put(o);
    return result;
}

/* The ranges of the process's disks end with its run, whoever has handles of them. Those of others' disks may be in the
 * making. */
static int end(struct process *p)
{
    for (unsigned line = 0; line < HAL_LINES; line++) {
        if (device_on(line)->process != p)
            continue;
        for (struct range *r = ranges[line]; r < ranges[line] + RANGES; r++) {
            if (!r->used)
                continue;
            handle_withdraw(&r->object, NULL);
            r->used = false;
        }
    }
    return 0;
}

PROCESS_PART(blocks, .at = { [PROCESS_ENDS] = end });
