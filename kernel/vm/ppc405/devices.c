/* SPDX-License-Identifier: MIT */
/* devices.c - resets a guest's devices at the start of a run; defaults for devices that are not configured. */
#include "dev.h"
#include <arch/deliver.h>
#include <board/console.h>

__optional void lent_reset(struct vm *vm) {} /* without CONFIG_DRIVER no device is lent */

void devices_reset(struct vm *vm)
{
    vm->timers.tsr = 0; /* the timers may have run while the VM was loaded */
    vm->timers.seen = hal_now();
    vm->uart.rx_tail = READ_ONCE(vm->uart.rx_head); /* the head is another core's */
    if (vm->conf->flags & PT_FOCUS)
        console_focus(vm->id);
    lent_reset(vm);
}

/* Without CONFIG_CONSOLE there is no serial port for input, and no device at any address. */
__optional void guest_input(struct vm *vm) {}

__optional void mmio(struct vm *vm, u32 gpa, u32 ea)
{
    step(vm); /* before the event, which may give the core away */
    partition_event(vm, PT_ON_FAULT, VEC_DTLB, gpa);
}
