/* SPDX-License-Identifier: MIT */
/* What multiboot2_parse() promises: the tags we use, and a precise no to a structure that lies about its size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <arch/boot_parse.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

#define PA 0x9000u
static u8 buf[4096];
static u32 end;

static u8 *tag(u32 type, u32 data)
{
    u8 *t = buf + end;
    put32(t, type);
    put32(t + 4, 8 + data);
    end += ALIGN_UP(8 + data, 8);
    return t + 8;
}

static int setup(void **state)
{
    memset(buf, 0, sizeof(buf));
    end = 8;
    return 0;
}

/* In an allocation of exactly its size, so that ASan sees a read past it. */
static int parse(struct boot_info *bi)
{
    tag(0, 0);
    put32(buf, end);
    u8 *exact = malloc(end);
    memcpy(exact, buf, end);
    int r = multiboot2_parse(exact, PA, end, bi);
    free(exact);
    return r;
}

static void put_map(unsigned n, u32 step)
{
    u8 *t = tag(6, 8 + n * step);
    put32(t, step);
    for (unsigned i = 0; i < n; i++) {
        put64(t + 8 + i * step, i * 0x200000ull);
        put64(t + 16 + i * step, 0x100000);
        put32(t + 24 + i * step, i % 2 ? 2 : 1);
    }
}

static void test_reads_what_grub_gives(void **state)
{
    struct boot_info bi;
    memcpy(tag(1, 8), "a b=c d", 8);
    u8 *m = tag(3, 12);
    put32(m, 0x400000);
    put32(m + 4, 0x412345);
    m = tag(3, 12);
    put32(m, 0x800000);
    put32(m + 4, 0x900000);
    put_map(3, 32); /* larger entries than today's */
    u32 rsdp = end;
    tag(15, 36);
    tag(14, 20);
    assert_int_equal(parse(&bi), 0);
    assert_string_equal(bi.cmdline, "a b=c d");
    assert_int_equal(bi.system_base, 0x400000);
    assert_int_equal(bi.system_size, 0x12345);
    assert_int_equal(bi.n_regions, 3);
    assert_int_equal(bi.region[2].base, 0x400000);
    assert_int_equal(bi.region[2].type, BOOT_MEM_RAM);
    assert_int_equal(bi.region[1].type, BOOT_MEM_RESERVED);
    assert_int_equal(bi.rsdp, PA + rsdp + 8); /* the ACPI 2 copy, though the old one came later */
}

static void test_long_command_line_is_cut(void **state)
{
    struct boot_info bi;
    memset(tag(1, 600), 'x', 600); /* and never ends */
    assert_int_equal(parse(&bi), 0);
    assert_int_equal(strlen(bi.cmdline), BOOT_CMDLINE_MAX - 1);
}

static int add(struct boot_info *bi, u64 base, u64 size, u32 type)
{
    u8 e[BOOT_E820_SIZE];
    put64(e, base);
    put64(e + 8, size);
    put32(e + 16, type);
    return boot_info_add(bi, e);
}

static void test_touching_regions_join(void **state)
{
    struct boot_info bi = { 0 };
    assert_int_equal(add(&bi, 0, 0x1000, 1), 0);
    assert_int_equal(add(&bi, 0x1000, 0x1000, 1), 0);
    assert_int_equal(add(&bi, 0x2000, 0x1000, 3), 0);
    assert_int_equal(add(&bi, 0x5000, 0, 1), 0);
    assert_int_equal(bi.n_regions, 2);
    assert_int_equal(bi.region[0].size, 0x2000);
    assert_int_equal(add(&bi, ~0ull, 2, 1), -EINVAL);
}

static void test_refuses_more_regions_than_fit(void **state)
{
    struct boot_info bi;
    put_map(BOOT_MAX_REGIONS + 1, 24);
    assert_int_equal(parse(&bi), -ENOSPC);
}

static void test_refuses_malformed(void **state)
{
    struct boot_info bi;
    put32(tag(3, 12), 0x1000); /* ends before it starts */
    assert_int_equal(parse(&bi), -EINVAL);
    setup(NULL);
    tag(3, 4);
    assert_int_equal(parse(&bi), -EINVAL);
    setup(NULL);
    put32(tag(6, 32), 8); /* entries too small */
    assert_int_equal(parse(&bi), -EINVAL);
    setup(NULL);
    tag(15, 19);
    assert_int_equal(parse(&bi), -EINVAL);
    setup(NULL);
    put32(tag(1, 8) - 4, 7); /* tag smaller than its header: would never advance */
    assert_int_equal(parse(&bi), -EINVAL);
    setup(NULL);
    put32(tag(1, 8) - 4, 28); /* within the total, but not from where it starts */
    assert_int_equal(parse(&bi), -EINVAL);
    setup(NULL);
    put32(tag(1, 8) - 4, 4000);
    assert_int_equal(parse(&bi), -EINVAL);
    put32(buf, 4097);
    assert_int_equal(multiboot2_parse(buf, PA, 4096, &bi), -EINVAL);
    put32(buf, 8);
    assert_int_equal(multiboot2_parse(buf, PA, 4096, &bi), -EINVAL);
    setup(NULL);
    tag(1, 8);
    put32(buf, end); /* no end tag */
    assert_int_equal(multiboot2_parse(buf, PA, 4096, &bi), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_reads_what_grub_gives, setup),
        cmocka_unit_test_setup(test_long_command_line_is_cut, setup),
        cmocka_unit_test_setup(test_touching_regions_join, setup),
        cmocka_unit_test_setup(test_refuses_more_regions_than_fit, setup),
        cmocka_unit_test_setup(test_refuses_malformed, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
