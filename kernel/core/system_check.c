/* SPDX-License-Identifier: MIT */
/*
 * system_check.c - the rules that the entries of a system image keep: domains and
 * their devices, frames and windows, channels.  system_table.c has seen before that
 * every array lies within the table; what an entry says is not believed yet.
 */
#include <core/sched.h>
#include <core/system_table.h>
#include <string.h>

#include "system_check.h"

#define MIN_FRAME_US  100u /* shorter ones would leave a core no time but to change windows */
#define MIN_WINDOW_US 10u
#define MAX_FRAME_US  60000000u
#define MAX_MEMORY    (1ull << 40)
#define MAX_ACPI      65536u
#define MAX_SLOT      8 /* virtio slots own GSI 16..23, tunnels 24.. */
#define MAX_COM       4
#define DOMAIN_FLAGS  0x7fu
#define CHANNEL_FLAGS (SYS_CHANNEL_A_WRITES | SYS_CHANNEL_B_WRITES)

/* Names are shown on terminals: letters, digits, '-', '_' and '.' only. */
static __init_text bool name_ok(const char *s, size_t size)
{
    size_t n = strnlen(s, size);
    for (size_t i = 0; i < n; i++) {
        char c = s[i], lower = c | 0x20;
        if (!((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
            return false;
    }
    return n > 0 && n < size;
}

static __init_text bool payload_or_none(const struct sys_header *h, u16 i)
{
    return i == SYS_NONE || i < h->n_payloads;
}

static __init_text const char *check_device(const struct sys_header *h, const struct sys_domain *d, unsigned i)
{
    const struct sys_device *v = &d->device[i];
    if (v->type < SYS_DEV_UART || v->type > SYS_DEV_PC)
        return "a device's type is unknown";
    if (v->flags & ~(SYS_DEV_READONLY | (v->type == SYS_DEV_BLOCK ? SYS_DEV_BACKEND : 0)))
        return "a device has unknown flags";
    if (v->slot >= (v->type == SYS_DEV_UART ? MAX_COM : MAX_SLOT))
        return "a device's slot is out of range";
    bool backend = v->flags & SYS_DEV_BACKEND;
    if (backend && (v->name >= h->strings_size || !name_ok(sys_string(h, v->name), SYS_NAME)))
        return "a back end has no name, or one that is too long or has a character that names may not have";
    if (v->type == SYS_DEV_BLOCK && !backend && v->payload >= h->n_payloads)
        return "a block device has no payload";
    if (v->type == SYS_DEV_NET && (v->mac[0] & 1))
        return "a network device's address is a multicast address";
    bool virtio = v->type != SYS_DEV_UART && v->type != SYS_DEV_PC;
    for (unsigned j = 0; j < i; j++) {
        const struct sys_device *w = &d->device[j];
        bool w_virtio = w->type != SYS_DEV_UART && w->type != SYS_DEV_PC;
        if (v->type == SYS_DEV_PC && w->type == SYS_DEV_PC)
            return "a domain has two sets of PC devices";
        if (v->slot == w->slot && ((virtio && w_virtio) || (v->type == SYS_DEV_UART && w->type == SYS_DEV_UART)))
            return "two devices of a domain share a slot";
    }
    return NULL;
}

static __init_text const char *check_vm(const struct sys_header *h, const struct sys_domain *d)
{
    u64 size;
    if (d->boot < SYS_BOOT_LINUX64 || d->boot > SYS_BOOT_RAW)
        return "a domain's boot protocol is unknown";
    if (!d->memory || !IS_ALIGNED(d->memory, 2 * MIB) || d->memory > MAX_MEMORY)
        return "a domain's memory is not a multiple of 2 MiB up to 1 TiB";
    if (!sys_payload(h, d->kernel, &size) || size > d->memory)
        return "a domain has no kernel or it exceeds the domain's memory";
    if (d->boot == SYS_BOOT_RAW && (d->entry > d->memory || size > d->memory - d->entry))
        return "a raw image does not fit at its address";
    if (!payload_or_none(h, d->initrd) || !payload_or_none(h, d->acpi))
        return "a domain names a payload that does not exist";
    if (sys_payload(h, d->initrd, &size) && size > d->memory)
        return "an initrd exceeds the domain's memory";
    if (sys_payload(h, d->acpi, &size) && size > MAX_ACPI)
        return "ACPI tables exceed 64 KiB";
    return NULL;
}

static __init_text const char *check_domain(const struct sys_header *h, unsigned i)
{
    const struct sys_domain *d = sys_domain(h, i);
    if (!name_ok(d->name, sizeof(d->name)))
        return "a domain's name is empty, too long or has a character that names may not have";
    for (unsigned j = 0; j < i; j++) {
        if (!strcmp(d->name, sys_domain(h, j)->name))
            return "two domains have the same name";
        if (d->flags & sys_domain(h, j)->flags & SYS_FOCUS)
            return "two domains have the console's focus";
    }
    if (d->kind != SYS_KIND_VM && d->kind != SYS_KIND_NATIVE)
        return "a domain's kind is unknown";
    if (d->n_vcpus < 1 || d->n_vcpus > SYS_MAX_VCPUS || d->n_devices > SYS_MAX_DEVICES)
        return "a domain must have 1 to 8 vCPUs and at most 8 devices";
    if (d->flags & ~DOMAIN_FLAGS)
        return "a domain has unknown flags";
    if (d->kvm & ~(d->flags & SYS_KVM_PV ? (u32)SYS_KVM_ALL : 0))
        return "a domain has KVM features that are unknown, or not allowed to it";
    if (d->prio >= PRIO_LEVELS)
        return "a domain's priority is above 31";
    for (unsigned v = 0; v < d->n_vcpus; v++)
        if (d->core[v] >= h->n_cores)
            return "a vCPU is on a core that the system does not have";
    if (d->cmdline != SYS_NONE && d->cmdline >= h->strings_size)
        return "a command line lies outside the strings";
    if (d->kind == SYS_KIND_NATIVE)
        return d->n_devices ? "a native task has devices" : NULL;
    const char *why = check_vm(h, d);
    for (unsigned v = 0; !why && v < d->n_devices; v++)
        why = check_device(h, d, v);
    return why;
}

static __init_text bool runs_on(const struct sys_domain *d, unsigned core)
{
    for (unsigned v = 0; v < d->n_vcpus; v++)
        if (d->core[v] == core)
            return true;
    return false;
}

static __init_text const char *check_window(const struct sys_header *h, const struct sys_frame *f,
                                            const struct sys_window *w)
{
    if (w->core != f->core)
        return "a window belongs to another core than its frame";
    if (w->length_us < MIN_WINDOW_US || w->start_us > f->length_us || w->length_us > f->length_us - w->start_us)
        return "a window is empty, too short or reaches beyond its frame";
    if (w->domain == SYS_NONE)
        return NULL;
    if (w->domain >= h->n_domains)
        return "a window is for a domain that does not exist";
    return runs_on(sys_domain(h, w->domain), f->core) ? NULL : "a window is for a domain that has no vCPU on its core";
}

static __init_text const char *check_frame(const struct sys_header *h, unsigned i, unsigned first)
{
    const struct sys_frame *f = sys_frame(h, i);
    u32 has_group = 0, end = 0, shared = f->length_us;
    unsigned groups = 1;
    if (f->core >= h->n_cores)
        return "a frame is for a core that the system does not have";
    for (unsigned j = 0; j < i; j++)
        if (sys_frame(h, j)->core == f->core)
            return "a core has two frames";
    if (f->length_us < MIN_FRAME_US || f->length_us > MAX_FRAME_US)
        return "a frame is empty, too short or longer than a minute";
    if (f->first_window != first || !f->n_windows || f->n_windows > SCHED_WINDOWS ||
        f->n_windows > h->n_windows - first)
        return "a frame's windows are not in the table, in order, 1 to 32";
    for (unsigned j = 0; j < f->n_windows; j++) {
        const struct sys_window *w = sys_window(h, first + j);
        const char *why = check_window(h, f, w);
        if (why)
            return why;
        if (w->start_us < end)
            return "windows of a frame overlap or are not sorted";
        end = w->start_us + w->length_us;
        shared -= w->domain == SYS_NONE ? 0 : w->length_us;
        if (w->domain != SYS_NONE && !(has_group & 1u << w->domain)) {
            has_group |= 1u << w->domain;
            groups++;
        }
    }
    if (f->core == 0 && !shared)
        return "core 0 has no time left for the kernel's own threads";
    return groups <= SCHED_GROUPS ? NULL : "more than 7 domains have windows on one core";
}

static __init_text const char *check_channel(const struct sys_header *h, unsigned i)
{
    const struct sys_channel *c = sys_channel(h, i);
    if (!name_ok(c->name, sizeof(c->name)))
        return "a channel's name is empty, too long or has a character that names may not have";
    for (unsigned j = 0; j < i; j++)
        if (!strcmp(c->name, sys_channel(h, j)->name))
            return "two channels have the same name";
    bool host = c->domain_b == SYS_HOST;
    if (c->domain_a >= h->n_domains || (c->domain_b >= h->n_domains && !host) || c->domain_a == c->domain_b)
        return "a channel does not join two domains";
    if (sys_domain(h, c->domain_a)->kind != SYS_KIND_VM || (!host && sys_domain(h, c->domain_b)->kind != SYS_KIND_VM))
        return "a channel ends at a domain that is no VM";
    if (!c->flags || c->flags & ~CHANNEL_FLAGS)
        return "a channel has unknown flags or nobody writes it";
    if (!c->size || !IS_ALIGNED(c->size, PAGE_SIZE) || c->size > MIB)
        return "a channel's size is not a multiple of 4 KiB up to 1 MiB";
    return NULL;
}

__init_text const char *system_check_rules(const struct sys_header *h)
{
    const char *why = name_ok(h->name, sizeof(h->name)) ? NULL : "the system's name is none";
    for (unsigned i = 0; !why && i < h->n_domains; i++)
        why = check_domain(h, i);
    unsigned windows = 0;
    for (unsigned i = 0; !why && i < h->n_frames; i++) {
        why = check_frame(h, i, windows);
        windows += sys_frame(h, i)->n_windows;
    }
    if (!why && windows != h->n_windows)
        why = "a window belongs to no frame";
    for (unsigned i = 0; !why && i < h->n_channels; i++)
        why = check_channel(h, i);
    return why;
}
