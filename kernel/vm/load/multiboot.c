/* SPDX-License-Identifier: MIT */
/*
 * multiboot.c - kernels with a Multiboot header, version 1 (0.6.96) or 2: finds the header, checks whether its demands
 * can be met, and loads the ELF file or, if the header has addresses, the flat file that it describes.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define MB_CMDLINE_MAX 2047u   /* version 2 copies the command line into the information, */
#define MB_MODULES_MAX 0x6000u /* and for each module its command line and 24 bytes */

/* The demands of a header of either version. */
struct wanted {
    u64 at; /* offset of the header in the file */
    const u8
        *flat; /* for a file that is no ELF ("a.out kludge"), addresses: header, load, load end, bss end; NULL: ELF */
    const u8 *entry;  /* address of the entry; NULL: none given */
    bool relocatable; /* it wants to know where it was loaded */
};

static const char *mb1_header(struct loader *l, const u8 *h, u64 left, struct wanted *w)
{
    u32 flags = get32(h + 4);

    /* bits 0 to 2 are met: page-aligned modules, the memory map, and for the video mode that there is none */
    if (flags & 0xfff8)
        return refuse_number(l, "the Multiboot header sets flag #, which demands what we do not give",
                             (u32)__builtin_ctz(flags & 0xfff8));
    if (!(flags & (1u << 16)))
        return NULL;
    if (left < 32)
        return "the Multiboot header is cut off";
    w->flat = h + 12;
    w->entry = h + 28;
    return NULL;
}

static bool in_set(u32 set, u32 n) { return n < 32 && set >> n & 1; }

/* Check that multiboot2_info() can answer each required request; VBE (7) and framebuffer (8) are answered with none. */
static const char *check_requests(struct loader *l, const u8 *tag, u32 size)
{
    const u32 known =
        1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 14 | 1u << 15 | 1u << 21;
    for (u32 i = 8; i + 4 <= size; i += 4)
        if (!in_set(known, get32(tag + i)))
            return refuse_number(l, "the Multiboot2 header requires information tag #, which we do not give",
                                 get32(tag + i));
    return NULL;
}

/* Read one tag of a version 2 header. Returns NULL, or why a required one cannot be met. */
static const char *mb2_tag(struct loader *l, const u8 *tag, u32 size, struct wanted *w)
{
    bool optional = get16(tag + 2) & 1, met = optional;

    switch (get16(tag)) {
    case 1: return optional ? NULL : check_requests(l, tag, size);
    case 2:
        w->flat = tag + 8;
        met = size >= 24;
        break;
    case 3:
        w->entry = tag + 8;
        met = size >= 12;
        break;
    case 10:
        w->relocatable = true; /* its link address is a valid choice */
        return NULL;
    /* 4, console: there is no EGA text to insist on. 5, framebuffer: there is none to set. 6, modules on pages:
     * always true. 7 to 9, EFI boot services and entries: this is no EFI. */
    default: met |= in_set(1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9, get16(tag));
    }
    return met ? NULL : refuse_number(l, "the Multiboot2 header demands tag #, which we cannot meet", get16(tag));
}

static const char *mb2_header(struct loader *l, const u8 *h, u64 left, struct wanted *w)
{
    u32 length = get32(h + 8);

    if (get32(h + 4) != 0 || length > left)
        return "the Multiboot2 header is not for i386, or cut off";
    for (u32 off = 16; off + 8 <= length;) {
        const u8 *tag = h + off;
        u32 n = get32(tag + 4);
        if (!get16(tag))
            return NULL;
        if (n < 8 || n > length - off)
            break;
        const char *why = mb2_tag(l, tag, n, w);
        if (why)
            return why;
        off += ALIGN_UP(n, 8);
    }
    return "the Multiboot2 header's tags are malformed";
}

static const struct version {
    u32 magic, loader; /* magic number in the header, and in EAX at the entry */
    u16 search;        /* the header is within so many bytes of the file, */
    u8 words, align;   /* has so many words, at a multiple of this */
    const char *none;
    const char *(*header)(struct loader *l, const u8 *h, u64 left, struct wanted *w);
    void (*info)(struct loader *l, bool relocatable);
} versions[] = {
    { 0x1badb002, 0x2badb002, 8192, 3, 4, "there is no Multiboot header in the first 8 KiB", mb1_header,
      multiboot1_info },
    { 0xe85250d6, 0x36d76289, 32768, 4, 8, "there is no Multiboot2 header in the first 32 KiB", mb2_header,
      multiboot2_info },
};

/* Find the header, which begins with `magic` and whose words add up to 0, and read it. */
static const char *find_header(struct loader *l, const struct version *v, struct wanted *w)
{
    u64 size = MIN(l->r.kernel_size, (u64)v->search);

    for (u64 at = 0; at + v->words * 4 <= size; at += v->align) {
        const u8 *h = (const u8 *)l->r.kernel + at;
        u32 sum = 0;
        for (unsigned i = 0; i < v->words; i++)
            sum += get32(h + i * 4);
        if (get32(h) == v->magic && !sum) {
            w->at = at;
            return v->header(l, h, size - at, w);
        }
    }
    return v->none;
}

static const char *load_flat(struct loader *l, const struct wanted *w)
{
    const u8 *flat = w->flat;
    u64 header = get32(flat), load = get32(flat + 4), load_end = get32(flat + 8), bss_end = get32(flat + 12);

    if (header < load || header - load > w->at)
        return "the Multiboot header's load address lies before the file";
    u64 from = w->at - (header - load), left = l->r.kernel_size - from;
    u64 length = load_end ? load_end - load : left; /* wraps, and is then too large, if the end is before the start */
    if (length > left)
        return "the Multiboot header's load end lies beyond the file";
    return load_whole(l, load, MAX(load + length, bss_end) - load, from, length);
}

/* Check the list at the start of the modules, which is not trusted. */
static const char *check_modules(const struct loader *l)
{
    const struct sys_module *m = l->r.initrd;
    u64 size = l->r.initrd_size, room = MB_MODULES_MAX;

    if (l->r.n_modules > size / sizeof(*m))
        return "the list of modules is cut off";
    for (unsigned i = 0; i < l->r.n_modules; i++, m++) {
        u64 left = size - m->string;
        size_t length = m->string < size ? strnlen((const char *)l->r.initrd + m->string, left) : left;
        if (m->start > m->end || m->end > size || length >= left)
            return "a module or its command line lies outside the payload";
        if (length + 24 > room)
            return "the command lines of the modules are too long";
        room -= length + 24;
    }
    return NULL;
}

const char *load_multiboot(struct loader *l)
{
    const struct version *v = &versions[l->r.boot == SYS_BOOT_MULTIBOOT2];
    struct wanted w = { 0 };
    u64 entry = 0;
    const char *why = find_header(l, v, &w);

    if (why)
        return why;
    why = w.flat ? load_flat(l, &w) : load_elf(l, 0, &entry);
    if (why)
        return why;
    if (w.entry)
        entry = get32(w.entry);
    if (!entry || entry >= 4 * GIB)
        return "the kernel has no entry below 4 GiB";
    if (!w.flat)
        load_sections(l);
    if ((why = check_modules(l)) || (why = load_cmdline(l, MB_CMDLINE_MAX)) ||
        (why = load_initrd(l, load_behind(l) + ALIGN_UP(l->r.initrd_size, PAGE_SIZE))))
        return why;
    v->info(l, w.relocatable);
    load_enter(l, &load_flat32, entry);
    l->e->rax = v->loader;
    l->e->rbx = l->area + LOAD_INFO;
    return NULL;
}
