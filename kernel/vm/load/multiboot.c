/* SPDX-License-Identifier: MIT */
/*
 * multiboot.c - kernels with a Multiboot header, version 1 (0.6.96) or 2: find the
 * header, see whether we can give what it demands, load the ELF file or, where the
 * header has addresses, the flat file that it describes.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define MB_CMDLINE_MAX 2048u /* version 2 copies it into the information page */
#define MB1_SEARCH     8192u
#define MB1_HEADER     0x1badb002u
#define MB1_LOADER     0x2badb002u
#define MB2_SEARCH     32768u
#define MB2_HEADER     0xe85250d6u
#define MB2_LOADER     0x36d76289u

/* What either header may say about a file that is no ELF ("a.out kludge"). */
struct flat {
    struct {
        u32 header, load, load_end, bss_end;
    } at;
    u32 file_offset; /* of the header */
    bool present;
};

struct wanted {
    struct flat flat;
    bool has_entry;
    u32 entry;
};

/* Where a header of `words` words that begins with `magic` and adds up to 0 starts, or -1. */
static s64 find_header(const struct loader *l, u32 magic, unsigned words, u64 search)
{
    const u8 *k = l->r->kernel;
    u64 size = MIN(l->r->kernel_size, search);

    for (u64 at = 0; at + words * 4 <= size; at += words == 4 ? 8 : 4) {
        u32 sum = 0;
        for (unsigned i = 0; i < words; i++)
            sum += get32(k + at + i * 4);
        if (get32(k + at) == magic && !sum)
            return (s64)at;
    }
    return -1;
}

static void take_flat(struct wanted *w, u64 file_offset, const u8 *addresses)
{
    w->flat.present = true;
    w->flat.file_offset = (u32)file_offset;
    memcpy(&w->flat.at, addresses, sizeof(w->flat.at));
}

static void take_entry(struct wanted *w, const u8 *entry)
{
    w->has_entry = true;
    w->entry = get32(entry);
}

static int mb1_header(struct loader *l, struct wanted *w)
{
    s64 at = find_header(l, MB1_HEADER, 3, MB1_SEARCH);

    if (at < 0)
        return refuse(l, -ENOEXEC, "there is no Multiboot header in the first 8 KiB");
    const u8 *h = (const u8 *)l->r->kernel + at;
    u32 flags = get32(h + 4);
    if (flags & 0xfffc) /* we give page-aligned modules (bit 0) and the memory map (bit 1) */
        return refuse(l, -ENOEXEC, "the Multiboot header demands more than memory map and modules");
    if (!(flags & (1u << 16)))
        return 0;
    if ((u64)at + 32 > MIN(l->r->kernel_size, (u64)MB1_SEARCH))
        return refuse(l, -ENOEXEC, "the Multiboot header is cut off");
    take_flat(w, at, h + 12);
    take_entry(w, h + 28);
    return 0;
}

/* Every required information request is one that multiboot2_info() answers. */
static bool requests_known(const u8 *tag, u32 size)
{
    const u32 known = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 15;

    for (u32 i = 8; i + 4 <= size; i += 4) {
        u32 type = get32(tag + i);
        if (type > 31 || !(known & 1u << type))
            return false;
    }
    return true;
}

/* One tag of a version 2 header. False: it is required and we cannot give it. */
static bool mb2_tag(const u8 *tag, u32 size, u64 header_at, struct wanted *w)
{
    bool optional = get16(tag + 2) & 1;

    switch (get16(tag)) {
    case 1: return optional || requests_known(tag, size);
    case 2:
        if (size < 24)
            return false;
        take_flat(w, header_at, tag + 8);
        return true;
    case 3:
        if (size < 12)
            return false;
        take_entry(w, tag + 8);
        return true;
    case 4: /* console: there is no EGA text to insist on */
    case 6: /* modules on pages: always */
    case 7: /* EFI boot services and entries: we are no EFI */
    case 8:
    case 9:
    case 10: return true; /* relocatable: its link address is one of its choices */
    default: return optional;
    }
}

static int mb2_header(struct loader *l, struct wanted *w)
{
    s64 at = find_header(l, MB2_HEADER, 4, MB2_SEARCH);

    if (at < 0)
        return refuse(l, -ENOEXEC, "there is no Multiboot2 header in the first 32 KiB");
    const u8 *h = (const u8 *)l->r->kernel + at;
    u64 length = get32(h + 8);
    if (get32(h + 4) != 0 || length > MIN(l->r->kernel_size, (u64)MB2_SEARCH) - (u64)at)
        return refuse(l, -ENOEXEC, "the Multiboot2 header is not for i386, or cut off");
    for (u64 off = 16; off + 8 <= length;) {
        const u8 *tag = h + off;
        u32 n = get32(tag + 4);
        if (!get16(tag))
            return 0;
        if (n < 8 || n > length - off)
            break;
        if (!mb2_tag(tag, n, at, w))
            return refuse(l, -ENOEXEC, "the Multiboot2 header demands something we do not give");
        off += ALIGN_UP((u64)n, 8);
    }
    return refuse(l, -ENOEXEC, "the Multiboot2 header's tags are malformed");
}

static int load_flat(struct loader *l, const struct flat *f)
{
    u64 size = l->r->kernel_size;

    if (f->at.header < f->at.load || f->at.header - f->at.load > f->file_offset)
        return refuse(l, -ENOEXEC, "the Multiboot header's load address lies before the file");
    u64 from = f->file_offset - (f->at.header - f->at.load);
    u64 length = f->at.load_end ? (u64)f->at.load_end - f->at.load : size - from;
    if ((f->at.load_end && f->at.load_end < f->at.load) || length > size - from)
        return refuse(l, -ENOEXEC, "the Multiboot header's load end lies beyond the file");
    u64 end = MAX((u64)f->at.load + length, (u64)f->at.bss_end);
    int err = load_check_range(l, f->at.load, end - f->at.load);
    if (err)
        return err;
    l->image_end = end;
    u8 *to = guest_ptr(l->r->memory, f->at.load, end - f->at.load);
    memcpy(to, (const u8 *)l->r->kernel + from, length);
    memset(to + length, 0, end - f->at.load - length);
    return 0;
}

int load_multiboot(struct loader *l)
{
    bool two = l->r->boot == SYS_BOOT_MULTIBOOT2;
    struct wanted w = { 0 };
    u64 entry = 0;
    int err = two ? mb2_header(l, &w) : mb1_header(l, &w);

    if (err)
        return err;
    err = w.flat.present ? load_flat(l, &w.flat) : load_elf(l, 0, NULL, &entry);
    if (err)
        return err;
    if (w.has_entry)
        entry = w.entry;
    if (!entry || entry >= 4 * GIB)
        return refuse(l, -ENOEXEC, "the kernel has no entry below 4 GiB");
    if ((err = load_initrd(l, 4 * GIB)) || (err = load_cmdline(l, MB_CMDLINE_MAX)))
        return err;
    (two ? multiboot2_info : multiboot1_info)(l);
    load_enter(l, &load_flat32, entry);
    l->e->rax = two ? MB2_LOADER : MB1_LOADER;
    l->e->rbx = LOAD_INFO;
    return 0;
}
