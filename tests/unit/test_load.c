/* SPDX-License-Identifier: MIT */
/* guest_load(): each format lands where it says, hands over what its protocol promises, and is refused when it lies.
 * Here: bzImage and raw. */
#include "load_test.h"

/* --- bzImage --------------------------------------------------------------------------- */

static void make_bzimage(void)
{
    for (unsigned i = 0x1000; i < sizeof(image); i++)
        image[i] = (u8)(i * 7);
    image_bzimage(image, 3, 0x200000, 0x1000000, 0x100000); /* four sectors in all: the kernel starts at 0x800 */
}

static void test_bzimage(void **state)
{
    make_bzimage();
    assert_int_equal(load(SYS_BOOT_LINUX64), 0);
    assert_int_equal(e.rip, 0x1000200);
    assert_int_equal(e.rsi, INFO);
    assert_int_equal(e.cr0, 0x80000011);
    assert_int_equal(e.cr4, 0x20);
    assert_int_equal(e.efer, 0x500);
    assert_int_equal(e.cs.selector, 0x10);
    assert_int_equal(e.cs.attributes, 0xa9b);
    assert_int_equal(e.data.selector, 0x18);
    assert_true(get64(ram + e.gdt_base + 0x10) == 0x00af9b000000ffff);
    assert_int_equal(e.gdt_limit, 31);
    assert_memory_equal(ram + 0x1000000, image + 0x800, sizeof(image) - 0x800);
    u8 *bp = ram + INFO;
    assert_int_equal(get64(bp + 0x70), 0xe0000);
    assert_int_equal(bp[0x1e8], 3);
    assert_int_equal(get64(bp + 0x2d0 + 8), 0x9fc00);
    assert_int_equal(get64(bp + 0x2d0 + 20), 0x9fc00);
    assert_int_equal(get32(bp + 0x2d0 + 36), 2);
    assert_int_equal(get64(bp + 0x2d0 + 40), 0x100000);
    assert_int_equal(get64(bp + 0x2d0 + 48), RAM_SIZE - 0x100000);
    assert_int_equal(bp[0x1ef], 0); /* the sentinel */
    assert_int_equal(bp[0x210], 0xff);
    assert_int_equal(get64(bp + 0x250), 0);
    check_initrd(get32(bp + 0x218));
    assert_int_equal(get32(bp + 0x21c), sizeof(initrd));
    assert_string_equal((char *)ram + get32(bp + 0x228), "console=ttyS0");
}

/* As a BIOS leaves it: 639 KiB, then an extended data area of 1 KiB; interrupts in real mode come back. */
static void test_bios_data_area(void **state)
{
    make_bzimage();
    assert_int_equal(load(SYS_BOOT_LINUX64), 0);
    assert_int_equal(get16(ram + 0x413), 639);
    assert_int_equal(get16(ram + 0x40e) << 4, 639 * KIB);
    assert_int_equal(ram[639 * KIB], 1);
    for (unsigned vector = 0; vector < 256; vector++)
        assert_int_equal(ram[get16(ram + vector * 4 + 2) * 16 + get16(ram + vector * 4)], 0xcf);
    assert_memory_equal(ram + 0xffff0, "\xb0\xfe\xe6\x64\xf4",
                        5); /* F000:FFF0 resets: mov $0xfe,%al; out %al,$0x64; hlt */
}

/* What a page walk of the CPU would find at `va`. */
static u64 walk(u64 va)
{
    u64 t = e.cr3;
    for (int shift = 39; shift > 21; shift -= 9) {
        u64 pte = get64(ram + t + (va >> shift & 511) * 8);
        assert_true(pte & 1);
        t = pte & ~0xfffull;
    }
    u64 pte = get64(ram + t + (va >> 21 & 511) * 8);
    assert_int_equal(pte & 0x83, 0x83);
    return (pte & ~0x1fffffull) | (va & 0x1fffff);
}

static void test_bzimage_page_tables_are_an_identity_map(void **state)
{
    make_bzimage();
    assert_int_equal(load(SYS_BOOT_LINUX64), 0);
    for (u64 va = 0; va < 4 * GIB; va += 2 * MIB)
        assert_true(walk(va + 0x123) == va + 0x123);
}

/* It would run there nevertheless, and unpack itself over what a loader that moves it down puts there. */
static void test_bzimage_needs_memory_at_its_preferred_address(void **state)
{
    make_bzimage();
    put64(image + 0x258, RAM_SIZE - 0x100000 - 0x200000);
    assert_int_equal(load(SYS_BOOT_LINUX64), 0);
    put64(image + 0x258, RAM_SIZE - 0x100000);
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOMEM); /* no room for the initrd */
    put64(image + 0x258, RAM_SIZE);
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOMEM);
    put64(image + 0x258, 0x80000);
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOEXEC);
}

static void test_bzimage_refused(void **state)
{
    static const struct {
        u16 at;
        u8 value;
    } damage[] = {
        { 0x1fe, 0 }, { 0x202, 'h' }, { 0x207, 1 }, { 0x211, 0 }, { 0x236, 2 }, { 0x1f1, 0xff },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(damage); i++) {
        make_bzimage();
        image[damage[i].at] = damage[i].value;
        assert_int_equal(load(SYS_BOOT_LINUX64), -ENOEXEC);
    }
    make_bzimage();
    put32(image + 0x238, 5);
    assert_int_equal(load(SYS_BOOT_LINUX64), -E2BIG);
    make_bzimage();
    put32(image + 0x260, RAM_SIZE);
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOMEM);
    make_bzimage();
    put32(image + 0x260, RAM_SIZE - 0x1000000 - 4096); /* the kernel fits, the initrd no more */
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOMEM);
    make_bzimage();
    put32(image + 0x22c, 0x1000); /* an initrd limit below everything */
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOMEM);
    r.kernel_size = 0x28f;
    assert_int_equal(load(SYS_BOOT_LINUX64), -ENOEXEC);
}

/* --- raw, and everything --------------------------------------------------------------- */

static void test_raw(void **state)
{
    image[0] = 0xf4;
    r.entry = 0x7c00;
    assert_int_equal(load(SYS_BOOT_RAW), 0);
    check_flat32(0x7c00);
    assert_memory_equal(ram + 0x7c00, image, sizeof(image));
    check_initrd(e.rsi);
    assert_int_equal(e.rdi, sizeof(initrd));
    r.entry = 0x9fc00 - sizeof(image) + 1;
    assert_int_equal(load(SYS_BOOT_RAW), -ENOEXEC);
    r.entry = RAM_SIZE - sizeof(image) + 1;
    assert_int_equal(load(SYS_BOOT_RAW), -ENOMEM);
    r.entry = ~0ull;
    assert_int_equal(load(SYS_BOOT_RAW), -ENOMEM);
}

static void test_request_makes_no_sense(void **state)
{
    assert_int_equal(load(0), -EINVAL);
    assert_int_equal(load(99), -EINVAL);
    r.kernel_size = 0;
    assert_int_equal(load(SYS_BOOT_RAW), -EINVAL);
    r.kernel_size = 10;
    r.rsdp = 0x8000; /* in the page that boot information goes to */
    assert_int_equal(load(SYS_BOOT_RAW), -EINVAL);
    r.rsdp = 0;
    struct guest_memory small = { 1, { { 0, ram, MIB } } };
    r.memory = &small;
    assert_int_equal(load(SYS_BOOT_RAW), -EINVAL);
}

static void test_memory_above_the_hole_is_in_the_map(void **state)
{
    mem.n = 2;
    mem.range[1] = (struct guest_range){ 4 * GIB, ram, 16 * MIB }; /* never touched */
    make_bzimage();
    int err = load(SYS_BOOT_LINUX64);
    mem.n = 1;
    assert_int_equal(err, 0);
    u8 *e820 = ram + INFO + 0x2d0 + 60;
    assert_int_equal(ram[INFO + 0x1e8], 4);
    assert_true(get64(e820) == 4 * GIB);
    assert_int_equal(get64(e820 + 8), 16 * MIB);
}

/* A buffer that a driver makes of neighbouring pages lies in one range: guest_ptr() gives no other. */
static void test_no_ram_of_the_map_crosses_from_a_piece_to_the_next(void **state)
{
    static const struct guest_range more[] = { { RAM_SIZE, NULL, 2 * MIB },
                                               { RAM_SIZE + 2 * MIB, NULL, 4 * MIB },
                                               { 4 * GIB, NULL, 16 * MIB },
                                               { 4 * GIB + 16 * MIB, NULL, 2 * MIB } };
    static const u64 ends[] = { RAM_SIZE - PAGE_SIZE, RAM_SIZE + 2 * MIB - PAGE_SIZE, RAM_SIZE + 6 * MIB,
                                4 * GIB + 16 * MIB - PAGE_SIZE, 4 * GIB + 18 * MIB };
    memcpy(&mem.range[1], more, sizeof(more));
    mem.n = 5;
    make_bzimage();
    int err = load(SYS_BOOT_LINUX64);
    mem.n = 1;
    assert_int_equal(err, 0);
    const u8 *e820 = ram + INFO + 0x2d0 + (ram[INFO + 0x1e8] - 5) * 20;
    assert_true(get64(e820) == MIB);
    for (unsigned i = 0; i < 5; i++, e820 += 20) {
        assert_int_equal(get32(e820 + 16), 1);
        assert_true(!i || get64(e820) == mem.range[i].gpa);
        assert_true(get64(e820) + get64(e820 + 8) == ends[i]);
    }
    u64 at = get32(ram + INFO + 0x218); /* the initrd, below the border */
    assert_int_equal(at, ALIGN_DOWN(RAM_SIZE - PAGE_SIZE - sizeof(initrd), PAGE_SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_no_ram_of_the_map_crosses_from_a_piece_to_the_next, setup),
        cmocka_unit_test_setup(test_bzimage, setup),
        cmocka_unit_test_setup(test_bios_data_area, setup),
        cmocka_unit_test_setup(test_bzimage_page_tables_are_an_identity_map, setup),
        cmocka_unit_test_setup(test_bzimage_needs_memory_at_its_preferred_address, setup),
        cmocka_unit_test_setup(test_bzimage_refused, setup),
        cmocka_unit_test_setup(test_raw, setup),
        cmocka_unit_test_setup(test_request_makes_no_sense, setup),
        cmocka_unit_test_setup(test_memory_above_the_hole_is_in_the_map, setup),
    };
    return cmocka_run_group_tests(tests, ram_get, ram_put);
}
