/* SPDX-License-Identifier: MIT */
/* calls.c - the calls by which a driver reaches its devices' registers (kernel/api/device.yaml). */
#include <errors.h>
#include <generated/device_calls.h>

#include "device.h"

/* Of a fast call: interrupts are off. */
static struct device *of_caller(const struct user *u, u32 index)
{
    return device_of(container_of(u, struct process_thread, user)->process, index);
}

/* Returns whether the class permits an access. A width is 1, 2 or 4. */
static bool permits(const struct device *d, u32 at, u32 width, unsigned shift)
{
    return width && !(width & (width - 1)) && d->class->access[at] >> shift & width;
}

s64 device_call_device_read(struct user *u, u32 index, u32 at, u32 width)
{
    const struct device *d = of_caller(u, index);
    if (unlikely(!d))
        return -ENOENT;
    if (unlikely(!permits(d, at, width, 0)))
        return -EACCES;
    return unlikely(d->failed) ? -ENODEV : (s64)hal_device_read(d->hal, at, width);
}

s64 device_call_device_write(struct user *u, u32 index, u32 at, u32 width, u32 value)
{
    struct device *d = of_caller(u, index);
    if (unlikely(!d))
        return -ENOENT;
    if (unlikely(!permits(d, at, width, DEVICE_WRITES)))
        return -EACCES;
    if (unlikely(d->failed))
        return -ENODEV;
    spin_lock_here(&d->lock);
    int err = d->class->write(d->hal, &d->state, at, width, value);
    spin_unlock(&d->lock);
    return err;
}

s64 device_call_device_info(struct process_thread *t, u32 index, u32 field)
{
    const struct device *d = device_of(t->process, index);
    if (!d)
        return -ENOENT;
    const s64 answer[] = {
        [DEVICE_CALL_DEVICE_INFO_CLASS] = d->hal->class,
        [DEVICE_CALL_DEVICE_INFO_PLACE] = (s64)device_address(d),
        [DEVICE_CALL_DEVICE_INFO_SIZE] = d->class->memory,
        [DEVICE_CALL_DEVICE_INFO_LINE] = d->hal->line,
    };
    return answer[field];
}
