/* SPDX-License-Identifier: MIT */
/* pc_devices.c - give a VM its interrupt controller pair, interval timer, clock and power registers. */
#include <errors.h>
#include "pc_devices.h"

_Static_assert(sizeof(struct pc_devices) <= PAGE_SIZE, "one page a VM");

__init_text int pc_devices_create(struct vm *vm)
{
    struct pc_devices *pc = vm_device_alloc(vm);
    if (!pc)
        return -ENOMEM;
    vm_devs(vm)->pc = pc;
    int err = i8259_create(vm, &pc->pic);
    if (!err)
        err = pit_create(vm, &pc->pit);
    if (!err)
        err = rtc_create(vm, &pc->rtc);
    if (!err)
        err = pm_create(vm, &pc->pm);
    return err;
}
