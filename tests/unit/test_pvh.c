/* SPDX-License-Identifier: MIT */
/* What pvh_parse() promises, on a physical memory of 64 KiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arch/boot_parse.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>
#include "images.h"

static u8 ram[0x10000];
static const void *map(paddr_t pa, u64 len) { return pa <= sizeof(ram) && len <= sizeof(ram) - pa ? ram + pa : NULL; }

static int setup(void **state)
{
    memset(ram, 0, sizeof(ram));
    image_pvh(ram, 0x1000, 0x2000, 0x3000, 0x4000, 2);
    put64(ram + 0x1020, 0xf5a40);
    put64(ram + 0x2000, 0x1234000);
    put64(ram + 0x2008, 0x5678);
    memcpy(ram + 0x3000, "quiet", 6);
    image_pvh_region(ram, 0x4000, 0, 0x9fc00, 1);
    image_pvh_region(ram, 0x4018, 0xfffc0000, 0x40000, 2);
    return 0;
}

static void test_reads_what_qemu_gives(void **state)
{
    struct boot_info bi;
    assert_int_equal(pvh_parse(0x1000, map, &bi), 0);
    assert_int_equal(bi.rsdp, 0xf5a40);
    assert_int_equal(bi.system_base, 0x1234000);
    assert_int_equal(bi.system_size, 0x5678);
    assert_string_equal(bi.cmdline, "quiet");
    assert_int_equal(bi.n_regions, 2);
    assert_int_equal(bi.region[0].size, 0x9fc00);
    assert_int_equal(bi.region[0].type, BOOT_MEM_RAM);
    assert_int_equal(bi.region[1].type, BOOT_MEM_RESERVED);
}

static void test_nothing_optional_given(void **state)
{
    struct boot_info bi;
    put32(ram + 0x100c, 0);
    put64(ram + 0x1018, 0);
    assert_int_equal(pvh_parse(0x1000, map, &bi), 0);
    assert_int_equal(bi.system_size, 0);
    assert_string_equal(bi.cmdline, "");
}

static void test_long_command_line_is_cut(void **state)
{
    struct boot_info bi;
    memset(ram + 0x3000, 'x', 0x800);
    assert_int_equal(pvh_parse(0x1000, map, &bi), 0);
    assert_int_equal(strlen(bi.cmdline), BOOT_CMDLINE_MAX - 1);
}

static void test_refuses(void **state)
{
    struct boot_info bi;
    assert_int_equal(pvh_parse(0xfff0, map, &bi), -EFAULT);
    assert_int_equal(pvh_parse(~0ull - 8, map, &bi), -EFAULT);
    assert_int_equal(pvh_parse(0x1008, map, &bi), -EINVAL); /* no magic */
    put32(ram + 0x1004, 0);
    assert_int_equal(pvh_parse(0x1000, map, &bi), -EINVAL); /* version 0 has no map */
    setup(NULL);
    put64(ram + 0x1018, 0xfffe);
    memset(ram + 0xfffe, 'x', 2); /* the command line runs out of memory */
    assert_int_equal(pvh_parse(0x1000, map, &bi), -EFAULT);
    setup(NULL);
    put64(ram + 0x1028, 0xfff0);
    assert_int_equal(pvh_parse(0x1000, map, &bi), -EFAULT);
    setup(NULL);
    put64(ram + 0x2000, ~0ull);
    assert_int_equal(pvh_parse(0x1000, map, &bi), -EINVAL);
    setup(NULL);
    put32(ram + 0x1030, 0xffffffff); /* runs into zeroes, then out of memory */
    assert_int_equal(pvh_parse(0x1000, map, &bi), -EFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_reads_what_qemu_gives, setup),
        cmocka_unit_test_setup(test_nothing_optional_given, setup),
        cmocka_unit_test_setup(test_long_command_line_is_cut, setup),
        cmocka_unit_test_setup(test_refuses, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
