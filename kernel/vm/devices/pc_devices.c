/* SPDX-License-Identifier: MIT */
/* pc_devices.c - creates the devices of every PC that its VM has ports for (PC_DEVICE). */
#include <errors.h>
#include "pc_devices.h"

_Static_assert(sizeof(struct pc_devices) <= PAGE_SIZE, "one page a VM");
_Static_assert(offsetof(struct pit, timer) == sizeof(struct vdev) && offsetof(struct rtc, timer) == sizeof(struct vdev),
               "a timer follows the vdev");

extern const struct pc_device __start_pc_devices[], __stop_pc_devices[];

static __init_text int create(struct vm *vm, const struct pc_device *device, u32 at)
{
    struct vdev *d = (struct vdev *)((char *)pc_parts(vm)->devices + at);
    d->ops = &device->ops;
    d->vm = vm;
    if (device->fire)
        timer_init((struct timer *)(d + 1), device->fire, d);
    device->ops.reset(d);
    int err = 0;
    for (unsigned i = 0; !err && i < ARRAY_SIZE(device->ports) && device->ports[i][1]; i++)
        err = vm_claim_pio(vm, device->ports[i][0], device->ports[i][1], d);
    return err;
}

__init_text int pc_devices_create(struct vm *vm)
{
    u32 behind = ALIGN_UP(sizeof(struct pc_devices), sizeof(u64));
    pc_parts(vm)->devices = vm_device_alloc(vm);
    int err = pc_parts(vm)->devices ? 0 : -ENOMEM;
    for (const struct pc_device *d = __start_pc_devices; !err && d < __stop_pc_devices; d++) {
        u32 size = ALIGN_UP((u32)d->size, (u32)sizeof(u64));
        if (size > PAGE_SIZE - behind)
            return -ENOSPC;
        err = create(vm, d, size ? behind : d->at);
        behind += size;
    }
    return err;
}
