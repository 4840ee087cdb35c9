/* SPDX-License-Identifier: MIT */
/*
 * multiboot_info.c - the boot information that a Multiboot kernel finds at EBX.  It
 * fits in the page at LOAD_INFO: multiboot.c limits the command line, the rest is
 * less than 300 bytes.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define MB1_MAP_OFFSET    0x80
#define MB1_MODULE_OFFSET 0x180
#define MB1_NAME_OFFSET   0x1c0
#define RSDP_SIZE         36

static const char loader_name[] = "Amalgam";

void multiboot1_info(struct loader *l)
{
    u8 *p = load_info(l), *map = p + MB1_MAP_OFFSET;
    unsigned n = load_memory_map(l, map + 4, 24);
    u32 flags = 1u << 0 | 1u << 2 | 1u << 6 | 1u << 9; /* memory sizes, command line, map, loader name */

    put32(p + 4, LOAD_ROM / KIB);
    put32(p + 8, (u32)((load_low_end(l) - LOAD_HIGH) / KIB));
    put32(p + 16, LOAD_CMDLINE);
    if (l->initrd) {
        u8 *m = p + MB1_MODULE_OFFSET;
        flags |= 1u << 3;
        put32(p + 20, 1);
        put32(p + 24, LOAD_INFO + MB1_MODULE_OFFSET);
        put32(m, (u32)l->initrd);
        put32(m + 4, (u32)(l->initrd + l->r->initrd_size));
        put32(m + 8, LOAD_INFO + MB1_MODULE_OFFSET + 12); /* its string: the reserved word, 0 */
    }
    put32(p + 44, n * 24);
    put32(p + 48, LOAD_INFO + MB1_MAP_OFFSET);
    for (unsigned i = 0; i < n; i++)
        put32(map + i * 24, 20); /* bytes that follow */
    put32(p + 64, LOAD_INFO + MB1_NAME_OFFSET);
    memcpy(p + MB1_NAME_OFFSET, loader_name, sizeof(loader_name));
    put32(p, flags);
}

/* A tag's header at *at, which moves on past its `size` bytes to the next; returns where its data go. */
static u8 *tag(u8 *p, u32 *at, u32 type, u32 size)
{
    u8 *t = p + *at;
    put32(t, type);
    put32(t + 4, 8 + size);
    *at += ALIGN_UP(8 + size, 8);
    return t + 8;
}

void multiboot2_info(struct loader *l)
{
    u8 *p = load_info(l), *t;
    const char *cmdline = guest_ptr(l->r->memory, LOAD_CMDLINE, 1);
    const void *rsdp = l->r->rsdp ? guest_ptr(l->r->memory, l->r->rsdp, RSDP_SIZE) : NULL;
    u32 at = 8;

    memcpy(tag(p, &at, 2, sizeof(loader_name)), loader_name, sizeof(loader_name));
    t = tag(p, &at, 4, 8);
    put32(t, LOAD_ROM / KIB);
    put32(t + 4, (u32)((load_low_end(l) - LOAD_HIGH) / KIB));
    unsigned n = load_memory_map(l, p + at + 16, 24);
    put32(tag(p, &at, 6, 8 + n * 24), 24);
    if (l->initrd) {
        t = tag(p, &at, 3, 9);
        put32(t, (u32)l->initrd);
        put32(t + 4, (u32)(l->initrd + l->r->initrd_size));
    }
    if (rsdp)
        memcpy(tag(p, &at, 15, RSDP_SIZE), rsdp, RSDP_SIZE);
    u32 length = (u32)strlen(cmdline) + 1;
    memcpy(tag(p, &at, 1, length), cmdline, length);
    tag(p, &at, 0, 0);
    put32(p, at);
}
