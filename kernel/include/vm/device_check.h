/* SPDX-License-Identifier: MIT */
/* vm/device_check.h - checks a device of a VM's record in a system image, for machine_check() of each machine,
 * which has it inline. Nothing in a record is trusted. */
#ifndef AMALGAM_VM_DEVICE_CHECK_H
#define AMALGAM_VM_DEVICE_CHECK_H

#include <vm/system_part.h>

#define MAX_SLOT 8 /* virtio slots have GSI 16..23, tunnels 24.. */
#define MAX_COM  4

/* By a device's type: permitted flags, and the number of slots, which the devices of a family share. */
enum { COM_PORTS, VIRTIO, PC_DEVICES };
static const struct device_rule {
    u8 flags, slots, family;
} device_rules[] = {
    [SYS_DEV_UART] = { SYS_DEV_READONLY, MAX_COM, COM_PORTS },
    [SYS_DEV_CONSOLE] = { SYS_DEV_READONLY, MAX_SLOT, VIRTIO },
    [SYS_DEV_BLOCK] = { SYS_DEV_READONLY | SYS_DEV_BACKEND, MAX_SLOT, VIRTIO },
    [SYS_DEV_NET] = { SYS_DEV_READONLY, MAX_SLOT, VIRTIO },
    [SYS_DEV_RNG] = { SYS_DEV_READONLY, MAX_SLOT, VIRTIO },
    [SYS_DEV_PC] = { SYS_DEV_READONLY, MAX_SLOT, PC_DEVICES },
};

/* Check device `i`, below SYS_MAX_DEVICES. Returns as machine_check(). */
static inline __init_text const char *check_device(const struct sys_header *h, const struct sys_vm *vm, unsigned i)
{
    const struct sys_device *v = &vm->device[i];
    if (v->type < SYS_DEV_UART || v->type > SYS_DEV_PC)
        return "a device's type is unknown";
    const struct device_rule *rule = &device_rules[v->type];
    if (v->flags & ~rule->flags)
        return "a device has unknown flags";
    if (v->slot >= rule->slots)
        return "a device's slot is out of range";
    if (v->flags & SYS_DEV_BACKEND) {
        if (!sys_name_ok(h, v->name))
            return "a back end has no name, or one that is too long or has a character that names may not have";
    } else if (v->type == SYS_DEV_BLOCK && v->payload >= h->n_payloads) {
        return "a block device has no payload";
    }
    if (v->type == SYS_DEV_NET && (v->mac[0] & 1))
        return "a network device's address is a multicast address";
    for (const struct sys_device *w = vm->device; w < v; w++) {
        if (device_rules[w->type].family != rule->family)
            continue;
        if (rule->family == PC_DEVICES)
            return "a domain has two sets of PC devices";
        if (v->slot == w->slot)
            return "two devices of a domain share a slot";
    }
    return NULL;
}

#endif
