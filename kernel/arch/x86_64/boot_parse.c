/* SPDX-License-Identifier: MIT */
/* boot_parse.c - what the readers of boot information share: the memory map. */
#include <arch/boot_parse.h>
#include <errors.h>

__init_text u32 boot_e820_type(u32 e820)
{
    switch (e820) {
    case 1: return BOOT_MEM_RAM;
    case 3: return BOOT_MEM_ACPI;
    default: return BOOT_MEM_RESERVED; /* NVS, bad, persistent: nothing for us */
    }
}

__init_text int boot_info_add(struct boot_info *bi, paddr_t base, u64 size, u32 type)
{
    if (!size)
        return 0;
    if (base + size < base)
        return -EINVAL;
    if (bi->n_regions) {
        struct boot_region *last = &bi->region[bi->n_regions - 1];
        if (last->type == type && last->base + last->size == base) {
            last->size += size;
            return 0;
        }
    }
    if (bi->n_regions == BOOT_MAX_REGIONS)
        return -ENOSPC;
    bi->region[bi->n_regions++] = (struct boot_region){ .base = base, .size = size, .type = type };
    return 0;
}
