/* SPDX-License-Identifier: MIT */
/*
 * images.h - what loaders and firmware leave for us, made small and valid: the unit tests damage it by hand, the
 * fuzzers by patches. Whoever makes one has cleared its memory.
 */
#ifndef AMALGAM_TESTS_IMAGES_H
#define AMALGAM_TESTS_IMAGES_H

#include <bytes.h>
#include <string.h>

/* A bzImage whose kernel comes after `sectors` of set-up and the first one; 64-bit entry, may be moved by `align`. */
static inline void image_bzimage(u8 *image, u8 sectors, u32 align, u64 wanted, u32 room)
{
    image[0x1f1] = sectors;
    put16(image + 0x1fe, 0xaa55);
    image[0x201] = 0x6a;
    memcpy(image + 0x202, "HdrS", 4);
    put16(image + 0x206, 0x20f);
    image[0x211] = 1;
    put32(image + 0x22c, 0x7fffffff);
    put32(image + 0x230, align);
    image[0x234] = 1;
    put16(image + 0x236, 3);
    put32(image + 0x238, 2047);
    put64(image + 0x250, 0x1234); /* a setup_data pointer of whoever made the file */
    put64(image + 0x258, wanted);
    put32(image + 0x260, room);
}

/* ELF64 for x86-64: 0x100 bytes of 0xc3 from `offset` at `paddr` in 0x3000 of memory, entry 0x10 in; at `notes` two
 * notes, one of somebody else's with an odd length, and PVH's with an entry 0x40 in. */
static inline void image_elf64(u8 *image, u64 paddr, u32 offset, u32 notes)
{
    static const u8 magic[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
    memcpy(image, magic, sizeof(magic));
    put16(image + 18, 62);
    put64(image + 24, paddr + 0x10);
    put64(image + 32, 64);
    put16(image + 54, 56);
    put16(image + 56, 2);
    u8 *ph = image + 64;
    put32(ph, 1);
    put64(ph + 8, offset);
    put64(ph + 16, 0xffffffff81000000);
    put64(ph + 24, paddr);
    put64(ph + 32, 0x100);
    put64(ph + 40, 0x3000);
    ph += 56;
    put32(ph, 4);
    put64(ph + 8, notes);
    put64(ph + 32, 52);
    u8 *note = image + notes;
    put32(note, 4);
    put32(note + 4, 6);
    put32(note + 8, 1);
    memcpy(note + 12, "GNU", 4);
    note += 24;
    put32(note, 4);
    put32(note + 4, 8);
    put32(note + 8, 18);
    memcpy(note + 12, "Xen", 4);
    put64(note + 16, paddr + 0x40);
    memset(image + offset, 0xc3, 0x100);
}

/* Multiboot 1: magic, flags, sum; bit 16 of the flags says that the addresses count. */
static inline void image_multiboot1(u8 *h, u32 flags)
{
    put32(h, 0x1badb002);
    put32(h + 4, flags);
    put32(h + 8, -(0x1badb002 + flags));
}
static inline void image_multiboot1_flat(u8 *h, u32 header, u32 load, u32 load_end, u32 bss_end, u32 entry)
{
    put32(h + 12, header);
    put32(h + 16, load);
    put32(h + 20, load_end);
    put32(h + 24, bss_end);
    put32(h + 28, entry);
}

/* Multiboot 2 with `tags` bytes of tags before the end's, which begin at what is returned. */
static inline u8 *image_multiboot2(u8 *h, u32 tags)
{
    put32(h, 0xe85250d6);
    put32(h + 8, 24 + tags);
    put32(h + 12, -(0xe85250d6 + 24 + tags));
    put32(h + 16 + tags + 4, 8);
    return h + 16;
}
/* A tag of `n` words after its type and length; returns where the next one begins. */
static inline u8 *image_tag(u8 *t, u16 type, unsigned n, const u32 *words)
{
    put16(t, type);
    put32(t + 4, 8 + 4 * n);
    for (unsigned i = 0; i < n; i++)
        put32(t + 8 + 4 * i, words[i]);
    return t + ALIGN_UP(8 + 4 * n, 8u);
}

/* PVH's start info at `start` with one module, and a map of `regions`. */
static inline void image_pvh(u8 *ram, u32 start, u64 modules, u64 cmdline, u64 map, u32 regions)
{
    u8 *s = ram + start;
    put32(s, 0x336ec578);
    put32(s + 4, 1);
    put32(s + 12, 1);
    put64(s + 16, modules);
    put64(s + 24, cmdline);
    put64(s + 40, map);
    put32(s + 48, regions);
}
static inline void image_pvh_region(u8 *ram, u64 at, u64 base, u64 size, u32 type)
{
    put64(ram + at, base);
    put64(ram + at + 8, size);
    put32(ram + at + 16, type);
}

/* Makes the byte at `sum_at` the one with which `len` bytes add up to 0. */
static inline void acpi_seal(u8 *t, u32 sum_at, u32 len)
{
    u8 sum = 0;
    t[sum_at] = 0;
    for (u32 i = 0; i < len; i++)
        sum += t[i];
    t[sum_at] = (u8)-sum;
}
static inline void acpi_table(u8 *t, const char *sig, u32 len)
{
    memcpy(t, sig, 4);
    put32(t + 4, len);
    acpi_seal(t, 9, len);
}
static inline void acpi_rsdp(u8 *p, u8 revision, u32 rsdt, u64 xsdt)
{
    memcpy(p, "RSD PTR ", 8);
    p[15] = revision;
    put32(p + 16, rsdt);
    put32(p + 20, 36);
    put64(p + 24, xsdt);
    acpi_seal(p, 8, 20);
    acpi_seal(p, 32, 36);
}

#endif
