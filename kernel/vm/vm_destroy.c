/* SPDX-License-Identifier: MIT */
/*
 * vm_destroy.c - the end of a virtual machine (CONFIG_DYNAMIC): everything that vm.c and
 * the machine allocated is overwritten and freed.
 *
 * Its threads have ended, those of its peers, too; what may still come are its own
 * timers, on any core.  Reset devices and a stopped vCPU arm no timer again: a round
 * cancels them all and waits for those that fire.  What such a one armed before the reset
 * came to it is cancelled by the second round.
 */
#include <core/frames.h>
#include <vm/vm.h>

static void round(struct vm *vm)
{
    vm_devices_reset(vm);
    machine_quiet(vm);
    timer_cancel(&vm->watchdog);
    timers_settle();
}

static void join_threads(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct vcpu *v = vm->vcpu[i];
        if (v->thread)
            thread_join(v->thread);
        v->thread = NULL;
        v->in_guest = v->halted = false; /* nobody to kick: devices that are reset may try */
    }
}

void vm_destroy(struct domain *d)
{
    struct vm *vm = vm_of(d);
    WRITE_ONCE(vm->stop, true);
    join_threads(vm);
    round(vm);
    round(vm);
    machine_destroy(vm);
    stage2_free(&vm->stage2);
    for (unsigned i = 0; i < vm->memory.n; i++)
        frames_clean(virt_to_phys(vm->memory.range[i].host), vm->memory.range[i].size >> PAGE_SHIFT);
    d->impl = NULL;
    page_clean(vm);
}
