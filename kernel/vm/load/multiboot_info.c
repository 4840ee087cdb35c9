/* SPDX-License-Identifier: MIT */
/*
 * multiboot_info.c - writes the boot information that a Multiboot kernel finds at EBX. It fits between LOAD_INFO and
 * the area's end, because multiboot.c limits the command lines and the rest is less than 5,000 bytes. Constant parts
 * are copied from a template. The list of modules is the one at the start of the modules, relocated.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define MAP_STRIDE 24
#define RSDP_SIZE  36
#define RSDP_OLD   20 /* of ACPI 1.0: the first part, with a sum of its own */
#define NAME       "Amalgam"

struct mb1_info {
    u32 flags, mem_lower, mem_upper, boot_device, cmdline, n_modules, modules, symbols[4], map_length, map, drives[2],
        config_table, loader_name;
    char name[8];
    u8 entries[];
};
#define MB1_AT(field) (LOAD_INFO + offsetof(struct mb1_info, field))

static const struct mb1_info mb1_template = {
    .flags =
        1u << 0 | 1u << 2 | 1u << 3 | 1u << 6 | 1u << 9, /* memory sizes, command line, modules, map, loader name */
    .mem_lower = LOAD_ROM / KIB,
    .cmdline = LOAD_CMDLINE,
    .map = MB1_AT(entries),
    .loader_name = MB1_AT(name),
    .name = NAME,
};

struct mb2_info {
    u32 total, reserved, name_tag, name_size;
    char name[8];
    u32 memory_tag, memory_size, mem_lower, mem_upper, map_tag, map_size, entry_size, entry_version;
    u8 entries[];
};
_Static_assert(sizeof(struct mb2_info) == 56, "tags begin at multiples of 8");

static const struct mb2_info mb2_template = {
    .name_tag = 2,
    .name_size = 16,
    .name = NAME,
    .memory_tag = 4,
    .memory_size = 16,
    .mem_lower = LOAD_ROM / KIB,
    .map_tag = 6,
    .entry_size = MAP_STRIDE,
};

static u32 upper_kib(const struct loader *l) { return (u32)((load_low_end(l) - LOAD_HIGH) / KIB); }

/* Add `by` to the `n` addresses at `field`. */
static void relocate(u8 *field, unsigned n, gpa_t by)
{
    for (; n--; field += 4)
        put32(field, get32(field) + (u32)by);
}

void multiboot1_info(struct loader *l, bool relocatable)
{
    (void)relocatable;
    u8 *p = memcpy(l->low + LOAD_INFO, &mb1_template, sizeof(mb1_template));
    u8 *map = p + offsetof(struct mb1_info, entries);
    u8 *modules = guest_ptr(l->r.memory, l->initrd, 0);
    unsigned n = load_memory_map(l, map + 4, MAP_STRIDE);

    put32(p + offsetof(struct mb1_info, mem_upper), upper_kib(l));
    put32(p + offsetof(struct mb1_info, map_length), n * MAP_STRIDE);
    for (unsigned i = 0; i < n; i++)
        put32(map + i * MAP_STRIDE, 20); /* bytes that follow */
    put32(p + offsetof(struct mb1_info, n_modules), l->r.n_modules);
    put32(p + offsetof(struct mb1_info, modules), (u32)l->initrd);
    for (unsigned i = 0; modules && i < l->r.n_modules; i++)
        relocate(modules + i * sizeof(struct sys_module), 3, l->initrd);
    if (l->sections.n) {
        put32(p, get32(p) | 1u << 5);
        memcpy(p + offsetof(struct mb1_info, symbols), &l->sections, sizeof(l->sections));
    }
    relocate(p + offsetof(struct mb1_info, cmdline), 1, l->area);
    relocate(p + offsetof(struct mb1_info, map), 1, l->area);
    relocate(p + offsetof(struct mb1_info, loader_name), 1, l->area);
}

/* A tag's header at *at, which moves on past its `size` bytes to the next; returns where its data go. */
static u8 *tag(u8 **at, u32 type, u32 size)
{
    u8 *t = *at;
    put32(t, type);
    put32(t + 4, 8 + size);
    *at += ALIGN_UP(8 + size, 8);
    return t + 8;
}

/* A tag with `size` bytes of data. */
static void put_tag(u8 **at, u32 type, const void *data, u32 size) { memcpy(tag(at, type, size), data, size); }

static void put_module(const struct loader *l, const struct sys_module *m, u8 **at)
{
    const char *string = (const char *)l->r.initrd + m->string;
    u32 length = (u32)strlen(string) + 1;
    u8 *data = tag(at, 3, 8 + length);

    put32(data, m->start + (u32)l->initrd);
    put32(data + 4, m->end + (u32)l->initrd);
    memcpy(data + 8, string, length);
}

static void put_sections(const struct loader *l, u8 **at)
{
    u32 size = l->sections.n * l->sections.size;
    u8 *data = tag(at, 9, 12 + size);

    memcpy(data, &l->sections, 8); /* n, size */
    put32(data + 8, l->sections.names);
    memcpy(data + 12, guest_ptr(l->r.memory, l->sections.at, size), size);
}

void multiboot2_info(struct loader *l, bool relocatable)
{
    u8 *p = memcpy(l->low + LOAD_INFO, &mb2_template, sizeof(mb2_template));
    u8 *at = p + offsetof(struct mb2_info, entries);
    const void *rsdp = l->r.rsdp ? guest_ptr(l->r.memory, l->r.rsdp, RSDP_SIZE) : NULL;
    u32 map_size = load_memory_map(l, at, MAP_STRIDE) * MAP_STRIDE, length = (u32)strlen(l->r.cmdline) + 1;

    put32(p + offsetof(struct mb2_info, mem_upper), upper_kib(l));
    put32(p + offsetof(struct mb2_info, map_size), 16 + map_size);
    at += map_size;
    for (const struct sys_module *m = l->r.initrd, *end = m + l->r.n_modules; m < end; m++)
        put_module(l, m, &at);
    if (rsdp) {
        put_tag(&at, 14, rsdp, RSDP_OLD);
        put_tag(&at, 15, rsdp, RSDP_SIZE);
    }
    if (l->sections.n)
        put_sections(l, &at);
    if (relocatable)
        put_tag(&at, 21, &l->image_start, 4);
    put_tag(&at, 1, l->r.cmdline, length);
    tag(&at, 0, 0);
    put32(p, (u32)(at - p));
}
