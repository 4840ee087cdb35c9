/* SPDX-License-Identifier: MIT */
/*
 * multiboot2.c - reads the information structure of the Multiboot2 specification, 3.4: a size, then tags of (type,
 * size, data), each at a multiple of 8 bytes.
 */
#include <arch/boot_parse.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

enum {
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_MODULE = 3,
    TAG_MMAP = 6,
    TAG_ACPI_OLD = 14,
    TAG_ACPI_NEW = 15,
};
#define TAG_HEADER    8
#define MMAP_HEADER   16
#define MODULE_HEADER 16
#define RSDP_V1_SIZE  20

static __init_text int read_memory_map(const u8 *tag, u32 size, struct boot_info *bi)
{
    if (size < MMAP_HEADER)
        return -EINVAL;
    u32 step = get32(tag + 8);
    if (step < BOOT_E820_SIZE || step > size)
        return -EINVAL;
    for (u64 at = MMAP_HEADER; at + step <= size; at += step) {
        int r = boot_info_add(bi, tag + at);
        if (r)
            return r;
    }
    return 0;
}

static __init_text int read_module(const u8 *tag, u32 size, struct boot_info *bi)
{
    if (size < MODULE_HEADER)
        return -EINVAL;
    u32 start = get32(tag + 8), end = get32(tag + 12);
    if (end < start)
        return -EINVAL;
    if (!bi->system_size) {
        bi->system_base = start;
        bi->system_size = end - start;
    }
    return 0;
}

static __init_text void read_cmdline(const u8 *tag, u32 size, struct boot_info *bi)
{
    size_t n = strnlen((const char *)tag + TAG_HEADER, size - TAG_HEADER);
    n = MIN(n, sizeof(bi->cmdline) - 1);
    memcpy(bi->cmdline, tag + TAG_HEADER, n);
    bi->cmdline[n] = 0;
}

static __init_text int read_tag(const u8 *tag, u32 type, u32 size, paddr_t pa, struct boot_info *bi)
{
    switch (type) {
    case TAG_CMDLINE: read_cmdline(tag, size, bi); return 0;
    case TAG_MODULE: return read_module(tag, size, bi);
    case TAG_MMAP: return read_memory_map(tag, size, bi);
    case TAG_ACPI_OLD:
        if (bi->rsdp) /* the newer copy knows the XSDT */
            return 0;
        /* fall through */
    case TAG_ACPI_NEW:
        if (size < TAG_HEADER + RSDP_V1_SIZE)
            return -EINVAL;
        bi->rsdp = pa + TAG_HEADER;
        return 0;
    default: return 0;
    }
}

__init_text int multiboot2_parse(const void *mbi, paddr_t pa, u64 max_size, struct boot_info *bi)
{
    memset(bi, 0, sizeof(*bi));
    bi->loader = "multiboot2";
    if (max_size < 8 + TAG_HEADER)
        return -EINVAL;
    const u8 *base = mbi;
    u64 total = get32(base);
    if (total > max_size || total < 8 + TAG_HEADER)
        return -EINVAL;
    for (u64 at = 8; at + TAG_HEADER <= total;) {
        u32 type = get32(base + at), size = get32(base + at + 4);
        if (size < TAG_HEADER || size > total - at)
            return -EINVAL;
        if (type == TAG_END)
            return 0;
        int r = read_tag(base + at, type, size, pa + at, bi);
        if (r)
            return r;
        at += ALIGN_UP((u64)size, 8);
    }
    return -EINVAL; /* no end tag */
}
