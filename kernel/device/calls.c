/* SPDX-License-Identifier: MIT */
/* calls.c - the calls by which a driver reaches its devices' registers (kernel/api/device.yaml). */
#include <errors.h>
#include <generated/device_calls.h>

#include "device.h"

static struct device *of_caller(const struct user *u, u32 handle)
{
    return device_of(container_of(u, struct process_thread, user)->process, handle);
}

/* Returns whether the class permits an access: by one width at most. */
static bool permits(const struct device *d, u32 at, u64 width, unsigned shift)
{
    return width && (d->class->access[at] >> shift & DEVICE_WIDTHS) == width;
}

/* These two are fast calls: interrupts are off. */
s64 device_call_device_read(struct user *u, u32 handle, u32 at, u64 width)
{
    const struct device *d = of_caller(u, handle);
    if (unlikely(!d))
        return -EBADF;
    if (unlikely(!permits(d, at, width, 0)))
        return -EACCES;
    return (s64)hal_device_read(&d->hal, at, (u32)width);
}

/* Not in line: the way in would keep more registers, for reads, too. */
__noinline s64 device_call_device_write(struct user *u, u32 handle, u32 at, u64 width, u32 value)
{
    struct device *d = of_caller(u, handle);
    if (unlikely(!d))
        return -EBADF;
    if (unlikely(!permits(d, at, width, DEVICE_WRITES)))
        return -EACCES;
    spin_lock_here(&d->lock);
    int err = d->class->write(&d->hal, &d->state, at, (u32)width, value);
    spin_unlock(&d->lock);
    return err;
}

s64 device_call_device_info(struct process_thread *t, u32 handle, u32 field)
{
    const struct device *d = device_of(t->process, handle);
    if (!d)
        return -EBADF;
    const s64 answer[] = {
        [DEVICE_CALL_DEVICE_INFO_CLASS] = d->class->number,
        [DEVICE_CALL_DEVICE_INFO_PLACE] = (s64)device_address(d),
        [DEVICE_CALL_DEVICE_INFO_SIZE] = d->class->memory,
        [DEVICE_CALL_DEVICE_INFO_LINE] = d->hal.line,
    };
    return answer[field];
}
