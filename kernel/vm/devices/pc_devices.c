/* SPDX-License-Identifier: MIT */
/* pc_devices.c - creates a VM's interrupt controller pair, interval timer, clock and power registers. */
#include <errors.h>
#include "pc_devices.h"

_Static_assert(sizeof(struct pc_devices) <= PAGE_SIZE, "one page a VM");
_Static_assert(offsetof(struct pit, timer) == sizeof(struct vdev) && offsetof(struct rtc, timer) == sizeof(struct vdev),
               "a timer follows the vdev");

static __init_text int create(struct vm *vm, const struct pc_part *part)
{
    struct vdev *d = (struct vdev *)((char *)pc_parts(vm)->devices + part->at);
    d->ops = &part->ops;
    d->vm = vm;
    if (part->fire)
        timer_init((struct timer *)(d + 1), part->fire, d);
    part->ops.reset(d);
    int err = 0;
    for (unsigned i = 0; !err && i < ARRAY_SIZE(part->ports) && part->ports[i][1]; i++)
        err = vm_claim_pio(vm, part->ports[i][0], part->ports[i][1], d);
    return err;
}

__init_text int pc_devices_create(struct vm *vm)
{
    static const struct pc_part *const parts[] = { &i8259_part, &pit_part, &rtc_part, &pm_part };
    pc_parts(vm)->devices = vm_device_alloc(vm);
    int err = pc_parts(vm)->devices ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < ARRAY_SIZE(parts); i++)
        err = create(vm, parts[i]);
    return err;
}
