/* SPDX-License-Identifier: MIT */
/* guest_load(), as test_load.c: ELF by its PVH note, Multiboot 1 and 2. */
#include <stdio.h>
#include "load_test.h"

/* --- ELF ------------------------------------------------------------------------------- */

static void make_elf64(u64 paddr) { image_elf64(image, paddr, 0x1000, 0x800); }

static void make_elf32(u32 paddr)
{
    memcpy(image,
           "\x7f"
           "ELF\1\1\1",
           7);
    put16(image + 18, 3);
    put32(image + 24, paddr + 0x10);
    put32(image + 28, 52);
    put16(image + 42, 32);
    put16(image + 44, 1);
    u8 *ph = image + 52;
    put32(ph, 1);
    put32(ph + 4, 0x1000);
    put32(ph + 8, paddr);
    put32(ph + 12, paddr);
    put32(ph + 16, 0x100);
    put32(ph + 20, 0x3000);
    memset(image + 0x1000, 0xc3, 0x100);
}

static void check_segment(u64 paddr)
{
    assert_int_equal(ram[paddr], 0xc3);
    assert_int_equal(ram[paddr + 0xff], 0xc3);
    assert_int_equal(ram[paddr + 0x100], 0);
    assert_int_equal(ram[paddr + 0x2fff], 0);
}

static void test_pvh(void **state)
{
    make_elf64(0x1000000);
    assert_int_equal(load(SYS_BOOT_PVH), 0);
    check_flat32(0x1000040);
    check_segment(0x1000000);
    assert_int_equal(ram[0x1003000], 0xee);
    assert_int_equal(e.rbx, INFO);
    u8 *si = ram + INFO;
    assert_int_equal(get32(si), 0x336ec578);
    assert_int_equal(get32(si + 4), 1);
    assert_int_equal(get32(si + 12), 1);
    check_initrd(get64(ram + get64(si + 16)));
    assert_int_equal(get64(ram + get64(si + 16) + 8), sizeof(initrd));
    assert_string_equal((char *)ram + get64(si + 24), "console=ttyS0");
    assert_int_equal(get64(si + 32), 0xe0000);
    assert_int_equal(get32(si + 48), 3);
    assert_int_equal(get64(ram + get64(si + 40) + 48), 0x100000);
    assert_int_equal(get32(ram + get64(si + 40) + 40), 2);
}

static void test_pvh_without_extras(void **state)
{
    make_elf64(0x1000000);
    r.initrd_size = 0;
    r.cmdline = "";
    assert_int_equal(load(SYS_BOOT_PVH), 0);
    assert_int_equal(get32(ram + INFO + 12), 0);
    assert_string_equal((char *)ram + get64(ram + INFO + 24), "");
}

static void test_elf_refused(void **state)
{
    make_elf64(0x1000000);
    put32(image + 0x800 + 24 + 8, 17);
    assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC); /* no such note */
    make_elf64(0x1000000);
    put32(image + 0x800 + 24 + 4, 0xfffffffc); /* a note longer than its segment */
    assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC);
    static const u64 bad_paddr[] = { 0x9d000, 0xe0000, RAM_SIZE - 0x1000, RAM_SIZE, ~0ull - 0x100, 1ull << 40 };
    for (unsigned i = 0; i < ARRAY_SIZE(bad_paddr); i++) {
        make_elf64(bad_paddr[i]);
        assert_true(load(SYS_BOOT_PVH) < 0);
        assert_int_equal(ram[0x1000], 0xee); /* nothing was copied */
    }
    make_elf64(0x1000000); /* nor when the second segment is the bad one: in the note's place, at 0x9f000 */
    put32(image + 120, 1);
    put64(image + 120 + 24, 0x9f000);
    put64(image + 120 + 40, 0x1000);
    assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC);
    assert_int_equal(ram[0x1000000], 0xee);
    assert_int_equal(ram[0x9f000], 0xee);
    static const struct {
        u16 at;
        u64 value;
    } damage[] = {
        { 64 + 8, sizeof(image) - 0xff }, { 64 + 8, ~0ull }, { 64 + 32, ~0ull }, { 64 + 40, 0xff },
        { 32, sizeof(image) - 111 },      { 32, ~0ull },     { 120 + 8, ~0ull },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(damage); i++) {
        make_elf64(0x1000000);
        put64(image + damage[i].at, damage[i].value);
        assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC);
    }
    make_elf64(0x1000000);
    put16(image + 56, 0xffff);
    assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC);
    make_elf64(0x1000000);
    put16(image + 18, 20); /* PowerPC */
    assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC);
    r.kernel_size = 63;
    assert_int_equal(load(SYS_BOOT_PVH), -ENOEXEC);
}

static u8 modules[0x2800] __aligned(8);

/* Two modules: 0x1000 bytes with a command line, 0x800 without. */
static void give_modules(void)
{
    struct sys_module *list = (struct sys_module *)modules;

    memset(modules, 0, sizeof(modules));
    memset(modules + 0x1000, 0x11, 0x1000);
    memset(modules + 0x2000, 0x22, 0x800);
    list[0] = (struct sys_module){ .start = 0x1000, .end = 0x2000, .string = 0x20 };
    list[1] = (struct sys_module){ .start = 0x2000, .end = 0x2800, .string = 0x2c };
    memcpy(modules + 0x20, "console=hvc0", 13);
    r.initrd = modules;
    r.initrd_size = sizeof(modules);
    r.n_modules = 2;
}

/* Module `i` as the guest finds it: behind the image, whose last page ends at `behind`, with its words at `string`. */
static void check_module(unsigned i, u64 behind, u32 start, u32 end, const char *string)
{
    assert_int_equal(start, behind + (i ? 0x2000 : 0x1000));
    assert_int_equal(end - start, i ? 0x800 : 0x1000);
    assert_memory_equal(ram + start, modules + (i ? 0x2000 : 0x1000), end - start);
    assert_string_equal(string, i ? "" : "console=hvc0");
}

/* --- Multiboot ------------------------------------------------------------------------- */

static void test_multiboot1_elf(void **state)
{
    make_elf32(0x100000);
    give_modules();
    image_multiboot1(image + 0x1ffc - 8, 3); /* the last place where it may be */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
    check_flat32(0x100010);
    check_segment(0x100000);
    assert_int_equal(e.rax, 0x2badb002);
    u8 *mbi = ram + e.rbx;
    assert_int_equal(get32(mbi), 1 | 4 | 8 | 64 | 512);
    assert_int_equal(get32(mbi + 8), (RAM_SIZE - MIB) / KIB);
    assert_string_equal((char *)ram + get32(mbi + 16), "console=ttyS0");
    assert_int_equal(get32(mbi + 20), 2);
    for (unsigned i = 0; i < 2; i++) {
        const u8 *m = ram + get32(mbi + 24) + 16 * i;
        check_module(i, 0x103000, get32(m), get32(m + 4), (char *)ram + get32(m + 8));
        assert_int_equal(get32(m + 12), 0);
    }
    assert_string_equal((char *)ram + get32(mbi + 64), "Amalgam");
    assert_int_equal(get32(mbi + 44), 3 * 24);
    assert_int_equal(get32(ram + get32(mbi + 48)), 20);
    assert_int_equal(get64(ram + get32(mbi + 48) + 48 + 4), 0x100000);
}

static void test_multiboot1_flat(void **state)
{
    u8 *h = image + 0x40;
    r.initrd_size = 0;
    image_multiboot1(image + 0x40, 1u << 16);
    image_multiboot1_flat(h, 0x200030, 0x200000, 0x200800, 0x201000, 0x200077); /* the file starts loading 0x10 in */
    image[0x10] = 0xaa;
    image[0x80f] = 0xbb;
    image[0x810] = 0xcc;
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
    check_flat32(0x200077);
    assert_int_equal(ram[0x200000], 0xaa);
    assert_int_equal(ram[0x2007ff], 0xbb);
    assert_int_equal(ram[0x200800], 0);
    assert_int_equal(ram[0x200fff], 0);
    assert_int_equal(ram[0x201000], 0xee);
    put32(h + 20, 0);
    put32(h + 24, 0); /* all of the file, no bss */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
    assert_int_equal(ram[0x200800], 0xcc);
    put32(h + 16, 0x200031);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    put32(h + 16, 0x1fff00);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    put32(h + 16, 0x200000);
    put32(h + 20, 0x1fffff);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    put32(h + 20, 0x300000);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    put32(h + 20, 0);
    put32(h + 24, 0xffffffff);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOMEM);
}

static void test_multiboot1_refused(void **state)
{
    make_elf32(0x100000);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    image_multiboot1(image + 0x1ffc, 3); /* its end lies beyond the first 8 KiB */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    image_multiboot1(image + 0x800, 8); /* nobody knows what that would be */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    make_elf32(0x100000);
    image_multiboot1(image + 0x800, 3);
    static const struct sys_module bad[] = {
        { 0x1000, 0x2801, 0x20, 0 }, { 0x2000, 0x1000, 0x20, 0 }, { 0x1000, 0x2000, 0x2800, 0 },
        { 0x1000, ~0u, 0x20, 0 },    { 0x1000, 0x2000, ~0u, 0 },  { 0x1000, 0x2000, 0x2700, 0 },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        give_modules();
        memset(modules + 0x2700, 'x', 0x100); /* a command line without an end */
        memcpy(modules + 16, &bad[i], sizeof(bad[i]));
        assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    }
    give_modules();
    r.n_modules = sizeof(modules) / 16 + 1;
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    give_modules();
    r.n_modules = 32; /* the other 30 are empty, and their command lines the list's zeros or the first's letters */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
}

/* A video mode is answered with none: no flag says that there is one. */
static void test_a_video_mode_is_none(void **state)
{
    make_elf32(0x100000);
    r.initrd_size = 0;
    image_multiboot1(image + 0x800, 7);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
    assert_int_equal(get32(ram + e.rbx) & (1u << 11 | 1u << 12), 0);
    assert_int_equal(get32(ram + e.rbx + 20), 0); /* nor are there modules */
    make_elf64(0x1000000);
    u8 *t = image_multiboot2(image + 0x2000, 24 + 16);
    t = image_tag(t, 5, 3, (const u32[]){ 1024, 768, 32 });
    image_tag(t, 1, 2, (const u32[]){ 7, 8 });
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    const u8 *mbi = ram + e.rbx;
    for (u32 at = 8; at < get32(mbi); at += ALIGN_UP(get32(mbi + at + 4), 8u))
        assert_true(get32(mbi + at) != 7 && get32(mbi + at) != 8);
}

/* What the loader hands over gives way to an image in the first 64 KiB, the modules come behind that. */
static void test_an_image_in_low_memory(void **state)
{
    static const u32 at[] = { 0x500, 0x8000, 0xf000 };
    for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
        setup(NULL);
        make_elf32(at[i]);
        give_modules();
        image_multiboot1(image + 0x800, 3);
        assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
        check_flat32(at[i] + 0x10);
        check_segment(at[i]);
        u8 *mbi = ram + e.rbx;
        assert_true(e.rbx > MIB);
        assert_string_equal((char *)ram + get32(mbi + 16), "console=ttyS0");
        assert_string_equal((char *)ram + get32(mbi + 64), "Amalgam");
        assert_int_equal(get32(ram + get32(mbi + 48)), 20);
        const u8 *m = ram + get32(mbi + 24);
        check_module(0, MIB + 0x10000, get32(m), get32(m + 4), (char *)ram + get32(m + 8));
    }
    setup(NULL);
    make_elf64(0x9000);
    assert_int_equal(load(SYS_BOOT_PVH), 0);
    check_segment(0x9000);
    check_initrd(get64(ram + get64(ram + e.rbx + 16)));
    assert_string_equal((char *)ram + get64(ram + e.rbx + 24), "console=ttyS0");
    assert_int_equal(get64(ram + get64(ram + e.rbx + 40) + 48), 0x100000);
    static struct guest_memory small;
    small = (struct guest_memory){ 1, { { 0, ram, 2 * MIB } } };
    r.memory = &small;
    r.initrd_size = 0;
    put64(image + 64 + 40, 0x96000); /* ends below 639 KiB */
    assert_int_equal(load(SYS_BOOT_PVH), 0);
    put32(image + 120, 1); /* and, in the note's place, a segment that leaves no room above 1 MiB */
    put64(image + 120 + 24, MIB);
    put64(image + 120 + 40, MIB - 0xf000);
    image_multiboot1(image + 0x400, 3);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOMEM);
}

static void test_multiboot2_elf(void **state)
{
    memcpy(ram + 0xe0000, "RSD PTR 0123456789", 18);
    unsigned n = 0;
    make_elf64(0x1000000);
    give_modules();
    u8 *t = image_multiboot2(image + 0x2000, 16);
    image_tag(t, 1, 2, (const u32[]){ 6, 1 }); /* information request: memory map, command line */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    check_flat32(0x1000010);
    assert_int_equal(e.rax, 0x36d76289);
    u8 *mbi = ram + e.rbx;
    u32 total = get32(mbi), seen = 0;
    for (u32 at = 8; at < total; at += ALIGN_UP(get32(mbi + at + 4), 8u)) {
        u8 *tag = mbi + at;
        seen |= 1u << get32(tag);
        switch (get32(tag)) {
        case 1: assert_string_equal((char *)tag + 8, "console=ttyS0"); break;
        case 3: check_module(n++, 0x1003000, get32(tag + 8), get32(tag + 12), (char *)tag + 16); break;
        case 6: assert_int_equal(get64(tag + 16 + 48), 0x100000); break;
        case 14:
            assert_int_equal(get32(tag + 4), 8 + 20);
            assert_memory_equal(tag + 8, "RSD PTR 0123456789", 18);
            break;
        case 15:
            assert_int_equal(get32(tag + 4), 8 + 36);
            assert_memory_equal(tag + 8, "RSD PTR 0123456789", 18);
            break;
        }
    }
    assert_int_equal(seen, 1 | 2 | 4 | 8 | 16 | 64 | 1 << 14 | 1 << 15);
    assert_int_equal(n, 2);
    static char longest[4096];
    memset(longest, 'x', 2047);
    r.cmdline = longest;
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    assert_true(get32(mbi) <= PAGE_SIZE);
    memset(longest, 'x', 2048);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -E2BIG);
}

/* e_entry is virtual: the segment that holds it says where it is. One that no segment holds is taken for physical. */
static void the_entry_is_translated_by_its_segment(void **state)
{
    static const struct {
        u64 vaddr, entry, rip;
    } rows[] = {
        { 0xffffffff81000000, 0xffffffff81000010, 0x1000010 },
        { 0xffffffff81000000, 0xffffffff81002fff, 0x1002fff },
        { 0xffffffff81000000, 0x1000010, 0x1000010 },
        { 0x1000000, 0x1000020, 0x1000020 },
        { 0x400000, 0x400010, 0x1000010 },
        { 0xffffffff81000000, 0xffffffff81003000, 0 }, /* one behind the segment, and no physical address */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        setup(NULL);
        make_elf64(0x1000000);
        r.initrd_size = 0;
        put64(image + 64 + 16, rows[i].vaddr);
        put64(image + 24, rows[i].entry);
        image_multiboot2(image + 0x2000, 0);
        assert_int_equal(load(SYS_BOOT_MULTIBOOT2), rows[i].rip ? 0 : -ENOEXEC);
        assert_true(!rows[i].rip || e.rip == rows[i].rip);
    }
    setup(NULL);
    make_elf32(0x100000);
    r.initrd_size = 0;
    put32(image + 52 + 8, 0xc0100000);
    put32(image + 24, 0xc0100010);
    image_multiboot1(image + 0x800, 3);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
    check_flat32(0x100010);
}

/* Three sections: the null one, .text, which the segment has loaded, and names, which none has; then one of zeros. */
#define SECTIONS 0x3000
#define NAMES    0x3800
static void give_sections(bool wide)
{
    static const char names[] = "\0.text\0.shstrtab";
    u8 *h = image + SECTIONS;
    unsigned size = wide ? 64 : 40;
    if (wide)
        put64(image + 40, SECTIONS);
    else
        put32(image + 32, SECTIONS);
    u8 *counts = image + (wide ? 58 : 46);
    put16(counts, size);
    put16(counts + 2, 4);
    put16(counts + 4, 2);
    memcpy(image + NAMES, names, sizeof(names));
    put32(h + size, 1);
    put32(h + size + 4, 1);
    put32(h + size + (wide ? 8 : 8), 6);
    put32(h + size + (wide ? 16 : 12), 0x100010);
    put32(h + 2 * size, 7);
    put32(h + 2 * size + 4, 3);
    put32(h + 2 * size + (wide ? 24 : 16), NAMES);
    put32(h + 2 * size + (wide ? 32 : 20), sizeof(names));
    put32(h + 3 * size + 4, 8); /* SHT_NOBITS: nothing is in the file */
    put32(h + 3 * size + (wide ? 24 : 16), 0xfffffff);
    put32(h + 3 * size + (wide ? 32 : 20), 0xfffffff);
}

/* Multiboot 2, 3.6.7; Multiboot 1, 3.3 (flag 5). */
static void check_sections(const u8 *h, u32 n, u32 size, u32 names, bool wide)
{
    assert_int_equal(n, 4);
    assert_int_equal(size, wide ? 64 : 40);
    assert_int_equal(names, 2);
    u32 text = get32(h + size + (wide ? 16 : 12)), strings = get32(h + 2 * size + (wide ? 16 : 12));
    assert_int_equal(text, 0x100010);
    assert_true(strings >= MIB && strings < RAM_SIZE);
    assert_string_equal((char *)ram + strings + get32(h + size), ".text");
    assert_string_equal((char *)ram + strings + get32(h + 2 * size), ".shstrtab");
    assert_int_equal(get32(h + 3 * size + (wide ? 16 : 12)), 0);
}

static const u8 *mb2_find(u32 type)
{
    const u8 *mbi = ram + e.rbx;
    for (u32 at = 8; at < get32(mbi); at += ALIGN_UP(get32(mbi + at + 4), 8u))
        if (get32(mbi + at) == type)
            return mbi + at;
    return NULL;
}

static void sections_are_given_with_what_no_segment_holds(void **state)
{
    make_elf64(0x1000000);
    give_sections(true);
    give_modules();
    image_tag(image_multiboot2(image + 0x2000, 16), 1, 1, (const u32[]){ 9 });
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    const u8 *t = mb2_find(9);
    assert_non_null(t);
    check_sections(t + 20, get32(t + 8), get32(t + 12), get32(t + 16), true);
    assert_int_equal(get32(t + 4), 20 + 4 * 64);
    const u8 *m = mb2_find(3); /* the modules lie behind */
    assert_true(get32(m + 8) > get32(t + 20 + 2 * 64 + 16));

    setup(NULL);
    make_elf32(0x100000);
    give_sections(false);
    r.initrd_size = 0;
    image_multiboot1(image + 0x800, 3);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), 0);
    const u8 *mbi = ram + e.rbx;
    assert_true(get32(mbi) & 1u << 5);
    check_sections(ram + get32(mbi + 36), get32(mbi + 28), get32(mbi + 32), get32(mbi + 40), false);
}

/* A damaged table, or too little memory: the kernel boots without sections. */
static void sections_that_cannot_be_given_are_left_out(void **state)
{
    static const struct {
        u32 at, value;
    } damage[] = { { 40, 0xfffffff0 }, { 40, sizeof(image) - 4 * 64 + 1 }, { 58, 63 }, { 60, 65 }, { 60, 0 } };
    for (unsigned i = 0; i < ARRAY_SIZE(damage); i++) {
        setup(NULL);
        make_elf64(0x1000000);
        give_sections(true);
        r.initrd_size = 0;
        if (damage[i].at == 40)
            put64(image + 40, damage[i].value);
        else
            put16(image + damage[i].at, damage[i].value);
        image_multiboot2(image + 0x2000, 0);
        assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
        assert_null(mb2_find(9));
    }
    setup(NULL); /* one section is not in the file: it has no address */
    make_elf64(0x1000000);
    give_sections(true);
    r.initrd_size = 0;
    put64(image + SECTIONS + 2 * 64 + 24, sizeof(image));
    image_multiboot2(image + 0x2000, 0);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    assert_int_equal(get64(mb2_find(9) + 20 + 2 * 64 + 16), 0);
    setup(NULL);
    make_elf64(RAM_SIZE - 0x3000); /* the image ends with memory */
    give_sections(true);
    r.initrd_size = 0;
    image_multiboot2(image + 0x2000, 0);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    assert_null(mb2_find(9));
}

/* Tag 21 for who says that it is relocatable (header tag 10): where it was loaded. */
static void a_relocatable_kernel_is_told_where_it_is(void **state)
{
    for (unsigned relocatable = 0; relocatable < 2; relocatable++) {
        setup(NULL);
        make_elf64(0x1000000);
        r.initrd_size = 0;
        image_tag(image_multiboot2(image + 0x2000, 24), relocatable ? 10 : 4, 4, (const u32[]){ 0, ~0u, 4096, 1 });
        assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
        const u8 *t = mb2_find(21);
        assert_int_equal(t != NULL, relocatable);
        assert_true(!t || (get32(t + 4) == 12 && get32(t + 8) == 0x1000000));
    }
}

/* Which tag it was. */
static void a_refusal_names_the_tag(void **state)
{
    static const bool given[32] = {
        [1] = 1, [2] = 1, [3] = 1, [4] = 1, [6] = 1, [7] = 1, [8] = 1, [9] = 1, [14] = 1, [15] = 1, [21] = 1
    };
    char want[96];
    for (u32 tag = 0; tag < 32; tag++) {
        setup(NULL);
        make_elf64(0x1000000);
        r.initrd_size = 0;
        image_tag(image_multiboot2(image + 0x2000, 16), 1, 1, &tag);
        int err = load(SYS_BOOT_MULTIBOOT2);
        assert_int_equal(err, given[tag] ? 0 : -ENOEXEC);
        snprintf(want, sizeof(want), "the Multiboot2 header requires information tag %02u, which we do not give", tag);
        assert_true(given[tag] || !strcmp(why, want));
    }
    setup(NULL);
    make_elf64(0x1000000);
    image_tag(image_multiboot2(image + 0x2000, 16), 23, 1, (const u32[]){ 0 });
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    assert_string_equal(why, "the Multiboot2 header demands tag 23, which we cannot meet");
    r.refusal = NULL;
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    assert_string_equal(why, "the Multiboot2 header demands tag #, which we cannot meet");
    setup(NULL);
    make_elf32(0x100000);
    image_multiboot1(image + 0x800, 1u << 5 | 1);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT1), -ENOEXEC);
    assert_string_equal(why, "the Multiboot header sets flag 05, which demands what we do not give");
}

static void test_multiboot2_flat(void **state)
{
    u8 *t = image_multiboot2(image + 0, 24 + 16);
    t = image_tag(t, 2, 4, (const u32[]){ 0x100000, 0x100000, 0, 0 });
    image_tag(t, 3, 1, (const u32[]){ 0x100100 });
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    check_flat32(0x100100);
    assert_memory_equal(ram + 0x100000, image, sizeof(image));
}

static void test_multiboot2_refused(void **state)
{
    make_elf64(0x1000000);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    u8 *t = image_multiboot2(image + 0x2000, 24);
    put16(t, 11); /* nobody knows what, required */
    put32(t + 4, 20);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    put16(t + 2, 1); /* optional */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), 0);
    put32(t + 4, 7);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    put32(t + 4, 0x10000000);
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    t = image_multiboot2(image + 0x2000, 16);
    memset(t, 0, 16);
    put16(t, 1);
    put32(t + 4, 12);
    put32(t + 8, 10); /* the APM table */
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
    for (unsigned i = 0; i < 24; i += 4)
        put32(t + i, 6);
    put16(t, 1);
    put32(t + 4, 64); /* a list of requests that goes on behind header and file */
    r.kernel_size = 0x2000 + 40;
    assert_int_equal(load(SYS_BOOT_MULTIBOOT2), -ENOEXEC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_pvh, setup),
        cmocka_unit_test_setup(test_pvh_without_extras, setup),
        cmocka_unit_test_setup(test_elf_refused, setup),
        cmocka_unit_test_setup(test_multiboot1_elf, setup),
        cmocka_unit_test_setup(test_multiboot1_flat, setup),
        cmocka_unit_test_setup(test_multiboot1_refused, setup),
        cmocka_unit_test_setup(test_a_video_mode_is_none, setup),
        cmocka_unit_test_setup(test_an_image_in_low_memory, setup),
        cmocka_unit_test_setup(test_multiboot2_elf, setup),
        cmocka_unit_test_setup(the_entry_is_translated_by_its_segment, setup),
        cmocka_unit_test_setup(sections_are_given_with_what_no_segment_holds, setup),
        cmocka_unit_test_setup(sections_that_cannot_be_given_are_left_out, setup),
        cmocka_unit_test_setup(a_relocatable_kernel_is_told_where_it_is, setup),
        cmocka_unit_test_setup(a_refusal_names_the_tag, setup),
        cmocka_unit_test_setup(test_multiboot2_flat, setup),
        cmocka_unit_test_setup(test_multiboot2_refused, setup),
    };
    return cmocka_run_group_tests(tests, ram_get, ram_put);
}
