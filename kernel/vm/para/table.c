/* SPDX-License-Identifier: MIT */
/* table.c - checks a VM's part of its record in a system image, for a guest in ring 1. Nothing in it is trusted. */
#include <chip/guest.h>
#include <core/domain.h>
#include <vm/device_check.h>
#include <vm/machine_check.h>

#include "machine.h"

#define MAX_MEMORY (1u << 30) /* below the devices, and what the kernel can reach */

__init_text const char *machine_check(const struct sys_header *h, const struct sys_domain *d)
{
    const struct sys_vm *vm = sys_vm(d);
    u64 size = 0;
    if (vm->boot != SYS_BOOT_LINUX32)
        return "a domain's boot protocol is none of guests in ring 1";
    if (vm->n_modules || vm->acpi != SYS_NONE || vm->kvm || d->flags & SYS_KVM_PV)
        return "a guest in ring 1 has no modules, ACPI tables or KVM features";
    if (d->n_vcpus != 1)
        return "a guest in ring 1 has one vCPU";
    if (!IS_ALIGNED(d->memory, 2 * MIB) || !d->memory || d->memory > MAX_MEMORY)
        return "a domain's memory is not a multiple of 2 MiB up to 1 GiB";
    if (!sys_payload(h, vm->kernel, &size) || size > d->memory)
        return "a domain has no kernel or it exceeds the domain's memory";
    if (vm->initrd != SYS_NONE && !sys_payload(h, vm->initrd, &size))
        return "a domain names a payload that does not exist";
    if (vm->initrd != SYS_NONE && size > d->memory)
        return "an initrd exceeds the domain's memory";
    const char *why = vm->n_devices > SYS_MAX_DEVICES ? "a domain must have at most 8 devices" : NULL;
    if (PARA_STRONG && !why)
        why = strong_check(h, d);
    if (CHIP_GUESTS && !why)
        why = chip_guest_check(h, d);
    for (unsigned i = 0; !why && i < vm->n_devices; i++)
        why = check_device(h, vm, i);
    return why;
}
