/* SPDX-License-Identifier: MIT */
/* devices.c - a guest's devices when it begins a life, and what answers where it has none. */
#include "dev.h"
#include <arch/deliver.h>
#include <board/console.h>

__optional void console_focus(u32 id) {}     /* without CONFIG_CONSOLE */
__optional void lent_reset(struct vm *vm) {} /* without CONFIG_DRIVER every device is the kernel's */

void devices_reset(struct vm *vm)
{
    vm->timers.tsr = 0; /* somebody may have looked while it was loaded */
    vm->timers.seen = hal_now();
    if (vm->conf->flags & PT_FOCUS)
        console_focus(vm->id);
    lent_reset(vm);
}

/* Without CONFIG_CONSOLE there is no serial port that input comes from, and nothing but memory at any address. */
__optional void guest_input(struct vm *vm) {}

__optional void mmio(struct vm *vm, u32 gpa, u32 ea)
{
    step(vm); /* before the event, which may give the core away */
    partition_event(vm, PT_ON_FAULT, VEC_DTLB, gpa);
}
