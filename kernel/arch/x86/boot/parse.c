/* SPDX-License-Identifier: MIT */
/* parse.c - the memory map, for all readers of boot information. */
#include <arch/boot_parse.h>
#include <bytes.h>
#include <errors.h>

static __init_text u32 type_of(u32 e820)
{
    switch (e820) {
    case 1: return BOOT_MEM_RAM;
    case 3: return BOOT_MEM_ACPI;
    default: return BOOT_MEM_RESERVED; /* NVS, bad, persistent memory: not used */
    }
}

__init_text int boot_info_add(struct boot_info *bi, const u8 *e820)
{
    struct boot_region r = { .base = get64(e820), .size = get64(e820 + 8), .type = type_of(get32(e820 + 16)) };
    struct boot_region *next = &bi->region[bi->n_regions], *last = next - 1;
    if (!r.size)
        return 0;
    if (r.base + r.size < r.base)
        return -EINVAL;
    if (bi->n_regions && last->type == r.type && last->base + last->size == r.base) {
        last->size += r.size;
        return 0;
    }
    if (bi->n_regions == BOOT_MAX_REGIONS)
        return -ENOSPC;
    *next = r;
    bi->n_regions++;
    return 0;
}
