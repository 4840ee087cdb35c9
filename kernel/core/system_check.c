/* SPDX-License-Identifier: MIT */
/*
 * system_check.c - the rules that the entries of a system image keep: payloads,
 * domains and their devices, frames and windows, channels.  system_table.c has seen
 * before that every array lies within the table; what an entry says is not believed
 * yet.  A kind of entry has limits of single fields, a rule for any two entries, and
 * rules of its own.
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
#define CHANNEL_SIZE  "a channel's size is not a multiple of 4 KiB up to 1 MiB"

_Static_assert(!(DOMAIN_FLAGS & (DOMAIN_FLAGS + 1)) && !(CHANNEL_FLAGS & (CHANNEL_FLAGS + 1)), "limits can hold them");

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

static const struct sys_limit no_limits[] = { SYS_NO_LIMIT };

static __init_text const char *compare_payloads(const void *one, const void *other)
{
    return system_overlap(one, other) ? "two payloads overlap" : NULL;
}

static __init_text const char *check_payload(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_payload *p = entry;
    if (!IS_ALIGNED(p->offset, PAGE_SIZE) || p->offset < h->table_size)
        return "a payload is not page aligned or overlaps the table";
    if (!p->size || p->offset > h->image_size || p->size > h->image_size - p->offset)
        return "a payload is empty or lies outside the image";
    return NULL;
}

/* Domains */

/* By a device's type: its flags, and how many slots there are, which the devices of a family share. */
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

static __init_text const char *check_device(const struct sys_header *h, const struct sys_domain *d, unsigned i)
{
    const struct sys_device *v = &d->device[i];
    if (v->type < SYS_DEV_UART || v->type > SYS_DEV_PC)
        return "a device's type is unknown";
    const struct device_rule *rule = &device_rules[v->type];
    if (v->flags & ~rule->flags)
        return "a device has unknown flags";
    if (v->slot >= rule->slots)
        return "a device's slot is out of range";
    if (v->flags & SYS_DEV_BACKEND) {
        if (v->name >= h->strings_size || !name_ok(sys_string(h, v->name), SYS_NAME))
            return "a back end has no name, or one that is too long or has a character that names may not have";
    } else if (v->type == SYS_DEV_BLOCK && v->payload >= h->n_payloads) {
        return "a block device has no payload";
    }
    if (v->type == SYS_DEV_NET && (v->mac[0] & 1))
        return "a network device's address is a multicast address";
    for (const struct sys_device *w = d->device; w < v; w++) {
        if (device_rules[w->type].family != rule->family)
            continue;
        if (rule->family == PC_DEVICES)
            return "a domain has two sets of PC devices";
        if (v->slot == w->slot)
            return "two devices of a domain share a slot";
    }
    return NULL;
}

/* A payload that a domain need not have. */
static __init_text const char *check_file(const struct sys_header *h, u16 payload, u64 max, const char *too_large)
{
    u64 size;
    if (payload == SYS_NONE)
        return NULL;
    if (!sys_payload(h, payload, &size))
        return "a domain names a payload that does not exist";
    return size > max ? too_large : NULL;
}

static __init_text const char *check_vm(const struct sys_header *h, const struct sys_domain *d)
{
    u64 size = 0;
    if (d->boot < SYS_BOOT_LINUX64 || d->boot > SYS_BOOT_RAW)
        return "a domain's boot protocol is unknown";
    if (!IS_ALIGNED(d->memory, 2 * MIB) || (d->memory - 1) / MAX_MEMORY)
        return "a domain's memory is not a multiple of 2 MiB up to 1 TiB";
    if (!sys_payload(h, d->kernel, &size) || size > d->memory)
        return "a domain has no kernel or it exceeds the domain's memory";
    if (d->boot == SYS_BOOT_RAW && (d->entry > d->memory || size > d->memory - d->entry))
        return "a raw image does not fit at its address";
    const char *why = check_file(h, d->initrd, d->memory, "an initrd exceeds the domain's memory");
    return why ? why : check_file(h, d->acpi, MAX_ACPI, "ACPI tables exceed 64 KiB");
}

static const struct sys_limit domain_limits[] = {
    SYS_LIMIT(sys_domain, kind, SYS_KIND_VM, SYS_KIND_NATIVE, "a domain's kind is unknown"),
    SYS_LIMIT(sys_domain, n_vcpus, 1, SYS_MAX_VCPUS, "a domain must have 1 to 8 vCPUs"),
    SYS_LIMIT(sys_domain, n_devices, 0, SYS_MAX_DEVICES, "a domain must have at most 8 devices"),
    SYS_LIMIT(sys_domain, flags, 0, DOMAIN_FLAGS, "a domain has unknown flags"),
    SYS_LIMIT(sys_domain, prio, 0, PRIO_LEVELS - 1, "a domain's priority is above 31"),
    SYS_LIMIT(sys_domain, n_modules, 0, SYS_MAX_MODULES, "a domain has more than 32 modules"),
    SYS_NO_LIMIT,
};

static __init_text const char *compare_domains(const void *one, const void *other)
{
    const struct sys_domain *d = one, *e = other;
    if (!strcmp(d->name, e->name))
        return "two domains have the same name";
    return d->flags & e->flags & SYS_FOCUS ? "two domains have the console's focus" : NULL;
}

static __init_text const char *check_domain(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_domain *d = entry;
    if (d->kvm & ~(d->flags & SYS_KVM_PV ? (u32)SYS_KVM_ALL : 0))
        return "a domain has KVM features that are unknown, or not allowed to it";
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

/* Frames */

static const struct sys_limit frame_limits[] = {
    SYS_LIMIT(sys_frame, length_us, MIN_FRAME_US, MAX_FRAME_US, "a frame is empty, too short or longer than a minute"),
    SYS_LIMIT(sys_frame, n_windows, 1, SCHED_WINDOWS, "a frame's windows are not in the table, in order, 1 to 32"),
    SYS_NO_LIMIT,
};

static __init_text const char *compare_frames(const void *one, const void *other)
{
    const struct sys_frame *f = one, *g = other;
    return f->core == g->core ? "a core has two frames" : NULL;
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
    if (w->length_us < MIN_WINDOW_US || (u64)w->start_us + w->length_us > f->length_us)
        return "a window is empty, too short or reaches beyond its frame";
    if (w->domain == SYS_NONE)
        return NULL;
    if (w->domain >= h->n_domains)
        return "a window is for a domain that does not exist";
    return runs_on(sys_domain(h, w->domain), f->core) ? NULL : "a window is for a domain that has no vCPU on its core";
}

static __init_text const char *check_windows(const struct sys_header *h, const struct sys_frame *f)
{
    u32 has_group = 0, end = 0, shared = f->length_us;
    unsigned groups = 1;
    const struct sys_window *w = sys_window(h, f->first_window), *stop = w + f->n_windows;
    for (; w < stop; w++) {
        const char *why = check_window(h, f, w);
        if (why)
            return why;
        if (w->start_us < end)
            return "windows of a frame overlap or are not sorted";
        end = w->start_us + w->length_us;
        if (w->domain == SYS_NONE)
            continue;
        shared -= w->length_us;
        groups += !(has_group >> w->domain & 1);
        has_group |= 1u << w->domain;
    }
    if (f->core == 0 && !shared)
        return "core 0 has no time left for the kernel's own threads";
    return groups <= SCHED_GROUPS ? NULL : "more than 7 domains have windows on one core";
}

/* The frames have the windows one after the other, and all of them. */
static __init_text const char *check_frame(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_frame *f = entry;
    unsigned first = i ? f[-1].first_window + f[-1].n_windows : 0, left = h->n_windows - first;
    if (f->core >= h->n_cores)
        return "a frame is for a core that the system does not have";
    if (f->first_window != first || f->n_windows > left)
        return "a frame's windows are not in the table, in order, 1 to 32";
    if (i + 1 == h->n_frames && f->n_windows < left)
        return "a window belongs to no frame";
    return check_windows(h, f);
}

static const struct sys_limit channel_limits[] = {
    SYS_LIMIT(sys_channel, flags, 1, CHANNEL_FLAGS, "a channel has unknown flags or nobody writes it"),
    SYS_LIMIT(sys_channel, size, PAGE_SIZE, MIB, CHANNEL_SIZE),
    SYS_NO_LIMIT,
};

static __init_text const char *compare_channels(const void *one, const void *other)
{
    const struct sys_channel *c = one, *d = other;
    return strcmp(c->name, d->name) ? NULL : "two channels have the same name";
}

static __init_text const char *check_channel(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_channel *c = entry;
    bool host = c->domain_b == SYS_HOST;
    if (c->domain_a >= h->n_domains || (c->domain_b >= h->n_domains && !host) || c->domain_a == c->domain_b)
        return "a channel does not join two domains";
    if (sys_domain(h, c->domain_a)->kind != SYS_KIND_VM || (!host && sys_domain(h, c->domain_b)->kind != SYS_KIND_VM))
        return "a channel ends at a domain that is no VM";
    return IS_ALIGNED(c->size, PAGE_SIZE) ? NULL : CHANNEL_SIZE;
}

/* The rules of a kind, in the order in which they are looked at. */
struct kind {
    enum sys_array array;
    const struct sys_limit *limits;
    const char *bad_name; /* NULL: no names */
    const char *(*compare)(const void *one, const void *other);
    const char *(*check)(const struct sys_header *h, const void *entry, unsigned i);
};

static const struct kind kinds[] = {
    { SYS_PAYLOADS, no_limits, NULL, compare_payloads, check_payload },
    { SYS_DOMAINS, domain_limits, "a domain's name is empty, too long or has a character that names may not have",
      compare_domains, check_domain },
    { SYS_FRAMES, frame_limits, NULL, compare_frames, check_frame },
    { SYS_CHANNELS, channel_limits, "a channel's name is empty, too long or has a character that names may not have",
      compare_channels, check_channel },
};

static __init_text const char *check_entry(const struct sys_header *h, const struct kind *k, unsigned i)
{
    const void *entry = sys_entry(h, k->array, i);
    const char *why = system_check_limits(entry, k->limits);
    if (!why && k->bad_name && !name_ok(entry, SYS_NAME))
        why = k->bad_name;
    for (unsigned j = 0; !why && j < i; j++)
        why = k->compare(entry, sys_entry(h, k->array, j));
    return why ? why : k->check(h, entry, i);
}

__init_text const char *system_check_rules(const struct sys_header *h)
{
    if (!name_ok(h->name, sizeof(h->name)))
        return "the system's name is none";
    for (const struct kind *k = kinds; k < kinds + ARRAY_SIZE(kinds); k++)
        for (unsigned i = 0; i < h->n[k->array]; i++) {
            const char *why = check_entry(h, k, i);
            if (why)
                return why;
        }
    return NULL;
}
