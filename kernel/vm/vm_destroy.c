/* SPDX-License-Identifier: MIT */
/*
 * vm_destroy.c - destroys a virtual machine (CONFIG_DYNAMIC): overwrites and frees all that vm.c and the machine have
 * allocated.
 */
#include <core/frames.h>
#include <vm/vm.h>

void vm_destroy(struct domain *d)
{
    struct vm *vm = vm_of(d);
    WRITE_ONCE(vm->stop, true);
    vm_quiesce(vm);
    machine_destroy(vm);
    while (vm->n_vcpus) {
        struct vcpu *v = vm->vcpu[--vm->n_vcpus];
        hal_vcpu_destroy(&v->hal);
        page_clean(v);
    }
    stage2_free(&vm->stage2);
    for (unsigned i = 0; i < vm->memory.n; i++)
        frames_clean(virt_to_phys(vm->memory.range[i].host), vm->memory.range[i].size >> PAGE_SHIFT);
    d->impl = NULL;
    page_clean(vm);
}
