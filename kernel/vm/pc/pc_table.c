/* SPDX-License-Identifier: MIT */
/* pc_table.c - checks a VM's part of its record in a system image, for a PC. Nothing in it is trusted. */
#include <core/domain.h>
#include <vm/device_check.h>
#include <vm/machine_check.h>

#define MAX_MEMORY (1ull << 40)
#define MAX_ACPI   65536u

/* Check a payload that a domain may do without. */
static __init_text const char *check_file(const struct sys_header *h, u16 payload, u64 max, const char *too_large)
{
    u64 size;
    if (payload == SYS_NONE)
        return NULL;
    if (!sys_payload(h, payload, &size))
        return "a domain names a payload that does not exist";
    return size > max ? too_large : NULL;
}

static __init_text const char *check_images(const struct sys_header *h, const struct sys_domain *d)
{
    const struct sys_vm *vm = sys_vm(d);
    u64 size = 0;
    if (vm->boot < SYS_BOOT_LINUX64 || vm->boot > SYS_BOOT_RAW)
        return "a domain's boot protocol is unknown";
    if (!IS_ALIGNED(d->memory, 2 * MIB) || (d->memory - 1) / MAX_MEMORY)
        return "a domain's memory is not a multiple of 2 MiB up to 1 TiB";
    if (!sys_payload(h, vm->kernel, &size) || size > d->memory)
        return "a domain has no kernel or it exceeds the domain's memory";
    if (vm->boot == SYS_BOOT_RAW && (vm->entry > d->memory || size > d->memory - vm->entry))
        return "a raw image does not fit at its address";
    const char *why = check_file(h, vm->initrd, d->memory, "an initrd exceeds the domain's memory");
    return why ? why : check_file(h, vm->acpi, MAX_ACPI, "ACPI tables exceed 64 KiB");
}

__init_text const char *machine_check(const struct sys_header *h, const struct sys_domain *d)
{
    const struct sys_vm *vm = sys_vm(d);
    if (vm->n_devices > SYS_MAX_DEVICES)
        return "a domain must have at most 8 devices";
    if (vm->n_modules > SYS_MAX_MODULES)
        return "a domain has more than 32 modules";
    if (vm->kvm & ~(d->flags & SYS_KVM_PV ? (u32)SYS_KVM_ALL : 0))
        return "a domain has KVM features that are unknown, or not allowed to it";
    const char *why = check_images(h, d);
    for (unsigned v = 0; !why && v < vm->n_devices; v++)
        why = check_device(h, vm, v);
    return why;
}
