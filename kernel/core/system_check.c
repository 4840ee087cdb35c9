/* SPDX-License-Identifier: MIT */
/*
 * system_check.c - checks the entries of a system image: payloads, domains, frames and windows, channels. A kind of
 * domain checks its own part of the record (domain_ops.check). system_outline.c has checked before that each array is
 * within the table; the contents of the entries are not trusted yet. Each array has limits of single fields, a rule for
 * any two entries, and rules of its own.
 */
#include <bytes.h>
#include <core/domain.h>
#include <core/sched.h>
#include <core/system_table.h>
#include <string.h>

#include "system_check.h"

#define MIN_FRAME_US  100u /* a shorter frame would leave a core no time but for switching windows */
#define MIN_WINDOW_US 10u
#define MAX_FRAME_US  60000000u
#define DOMAIN_FLAGS  (SPAWN ? 0xffu : 0x7fu)
#define CHANNEL_FLAGS (SYS_CHANNEL_A_WRITES | SYS_CHANNEL_B_WRITES)
#define CHANNEL_SIZE  "a channel's size is not a multiple of 4 KiB up to 1 MiB"

_Static_assert(!(DOMAIN_FLAGS & (DOMAIN_FLAGS + 1)) && !(CHANNEL_FLAGS & (CHANNEL_FLAGS + 1)), "limits can hold them");

__init_text const char *system_check_limits(const void *entry, const struct sys_limit *limit)
{
    while (limit->why && (get32((const u8 *)entry + limit->at) & limit->mask) - limit->min <= limit->span)
        limit++;
    return limit->why;
}

__init_text bool system_overlap(const struct sys_payload *a, const struct sys_payload *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

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

__init_text bool sys_name_ok(const struct sys_header *h, u32 string)
{
    return string < h->strings_size && name_ok(sys_string(h, string), SYS_NAME);
}

const struct domain_ops *domain_kinds[SYS_KIND_NATIVE + 1];

static const struct sys_limit no_limits[] __init_const = { SYS_NO_LIMIT };

static __init_text const char *compare_payloads(const void *one, const void *other)
{
    return system_overlap(one, other) ? INIT_STRING("two payloads overlap") : NULL;
}

static __init_text const char *check_payload(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_payload *p = entry;
    if (!IS_ALIGNED(p->offset, PAGE_SIZE) || p->offset < h->table_size)
        return INIT_STRING("a payload is not page aligned or overlaps the table");
    if (!p->size || p->offset > h->image_size || p->size > h->image_size - p->offset)
        return INIT_STRING("a payload is empty or lies outside the image");
    return NULL;
}

/* Domains */

static const struct sys_limit domain_limits[] __init_const = {
    SYS_LIMIT(sys_domain, kind, SYS_KIND_VM, SYS_KIND_NATIVE, "a domain's kind is unknown"),
    SYS_LIMIT(sys_domain, n_vcpus, 1, SYS_MAX_CORES, "a domain must have 1 to 32 cores"),
    SYS_LIMIT(sys_domain, flags, 0, DOMAIN_FLAGS, "a domain has unknown flags"),
    SYS_LIMIT(sys_domain, prio, 0, PRIO_LEVELS - 1, "a domain's priority is above 31"),
    SYS_NO_LIMIT,
};

static __init_text const char *compare_domains(const void *one, const void *other)
{
    const struct sys_domain *d = one, *e = other;
    if (!strcmp(d->name, e->name))
        return INIT_STRING("two domains have the same name");
    return d->flags & e->flags & SYS_FOCUS ? INIT_STRING("two domains have the console's focus") : NULL;
}

static __init_text const char *check_domain(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_domain *d = entry;
    if (d->kind != SYS_KIND_PROCESS && d->n_vcpus > SYS_MAX_VCPUS)
        return INIT_STRING("a domain that is no process must have 1 to 8 vCPUs");
    for (unsigned v = 0; v < d->n_vcpus; v++)
        if (d->core[v] >= h->n_cores)
            return INIT_STRING("a vCPU is on a core that the system does not have");
    if (d->cmdline != SYS_NONE && d->cmdline >= h->strings_size)
        return INIT_STRING("a command line lies outside the strings");
    const struct domain_ops *ops = domain_kinds[d->kind]; /* NULL: domains_create() will refuse the domain */
    return ops && ops->check ? ops->check(h, d) : NULL;
}

/* Frames */

static const struct sys_limit frame_limits[] __init_const = {
    SYS_LIMIT(sys_frame, length_us, MIN_FRAME_US, MAX_FRAME_US, "a frame is empty, too short or longer than a minute"),
    SYS_LIMIT(sys_frame, n_windows, 1, SCHED_WINDOWS, "a frame's windows are not in the table, in order, 1 to 32"),
    SYS_NO_LIMIT,
};

static __init_text const char *compare_frames(const void *one, const void *other)
{
    const struct sys_frame *f = one, *g = other;
    return f->core == g->core ? INIT_STRING("a core has two frames") : NULL;
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
        return INIT_STRING("a window belongs to another core than its frame");
    if (w->length_us < MIN_WINDOW_US || (u64)w->start_us + w->length_us > f->length_us)
        return INIT_STRING("a window is empty, too short or reaches beyond its frame");
    if (w->domain == SYS_NONE)
        return NULL;
    if (w->domain >= h->n_domains)
        return INIT_STRING("a window is for a domain that does not exist");
    return runs_on(sys_domain(h, w->domain), f->core)
               ? NULL
               : INIT_STRING("a window is for a domain that has no vCPU on its core");
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
            return INIT_STRING("windows of a frame overlap or are not sorted");
        end = w->start_us + w->length_us;
        if (w->domain == SYS_NONE)
            continue;
        shared -= w->length_us;
        groups += !(has_group >> w->domain & 1);
        has_group |= 1u << w->domain;
    }
    if (f->core == 0 && !shared)
        return INIT_STRING("core 0 has no time left for the kernel's own threads");
    return groups <= SCHED_GROUPS ? NULL : INIT_STRING("more than 7 domains have windows on one core");
}

/* The windows of the frames follow each other in the table, without gaps. */
static __init_text const char *check_frame(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_frame *f = entry;
    unsigned first = i ? f[-1].first_window + f[-1].n_windows : 0, left = h->n_windows - first;
    if (f->core >= h->n_cores)
        return INIT_STRING("a frame is for a core that the system does not have");
    if (f->first_window != first || f->n_windows > left)
        return INIT_STRING("a frame's windows are not in the table, in order, 1 to 32");
    if (i + 1 == h->n_frames && f->n_windows < left)
        return INIT_STRING("a window belongs to no frame");
    return check_windows(h, f);
}

static const struct sys_limit channel_limits[] __init_const = {
    SYS_LIMIT(sys_channel, flags, 1, CHANNEL_FLAGS, "a channel has unknown flags or nobody writes it"),
    SYS_LIMIT(sys_channel, size, PAGE_SIZE, MIB, CHANNEL_SIZE),
    SYS_NO_LIMIT,
};

static __init_text const char *compare_channels(const void *one, const void *other)
{
    const struct sys_channel *c = one, *d = other;
    return strcmp(c->name, d->name) ? NULL : INIT_STRING("two channels have the same name");
}

/* Others have nothing that shows them memory. */
static __init_text bool has_channels(const struct sys_header *h, unsigned id)
{
    unsigned kind = sys_domain(h, id)->kind;
    return kind == SYS_KIND_VM || kind == SYS_KIND_PROCESS;
}

static __init_text const char *check_channel(const struct sys_header *h, const void *entry, unsigned i)
{
    const struct sys_channel *c = entry;
    bool host = c->domain_b == SYS_HOST;
    if (c->domain_a >= h->n_domains || (c->domain_b >= h->n_domains && !host) || c->domain_a == c->domain_b)
        return INIT_STRING("a channel does not join two domains");
    if (!has_channels(h, c->domain_a) || (!host && !has_channels(h, c->domain_b)))
        return INIT_STRING("a channel ends at a domain that is neither a VM nor a process");
    return IS_ALIGNED(c->size, PAGE_SIZE) ? NULL : CHANNEL_SIZE;
}

/* The rules of each array, in the order in which they are checked. */
struct kind {
    enum sys_array array;
    const struct sys_limit *limits;
    const char *bad_name; /* NULL: no names */
    const char *(*compare)(const void *one, const void *other);
    const char *(*check)(const struct sys_header *h, const void *entry, unsigned i);
};

/* Freed after boot with what says them. */
static const char domain_name[] __init_const =
    "a domain's name is empty, too long or has a character that names may not have";
static const char channel_name[] __init_const =
    "a channel's name is empty, too long or has a character that names may not have";

static const struct kind kinds[] __init_const = {
    { SYS_PAYLOADS, no_limits, NULL, compare_payloads, check_payload },
    { SYS_DOMAINS, domain_limits, domain_name, compare_domains, check_domain },
    { SYS_FRAMES, frame_limits, NULL, compare_frames, check_frame },
    { SYS_CHANNELS, channel_limits, channel_name, compare_channels, check_channel },
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
        return INIT_STRING("the system's name is none");
    for (const struct kind *k = kinds; k < kinds + ARRAY_SIZE(kinds); k++)
        for (unsigned i = 0; i < h->n[k->array]; i++) {
            const char *why = check_entry(h, k, i);
            if (why)
                return why;
        }
    return NULL;
}
