/* SPDX-License-Identifier: MIT */
/* guest_walk(): each paging mode finds what its tables say, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>
#include "guest_walk.h"

#define PG   (1ull << 31)
#define PAE  0x20
#define PSE  0x10
#define LMA  0x400
#define LA57 0x1000
static u8 ram[0x100000];
static struct vm vm = { .memory = { 1, { { 0, ram, sizeof(ram) } } } };
static struct vmcb p;
static struct vcpu cpu = { .vm = &vm, .hal = { .vmcb = &p } };
static gpa_t gpa;

/* 0 and gpa, or -EFAULT. */
static int walk(u64 va, bool write)
{
    gpa = guest_walk(&cpu, va, write);
    return gpa == NO_GPA ? -EFAULT : 0;
}

static int setup(void **state)
{
    memset(ram, 0, sizeof(ram));
    p = (struct vmcb){ .cr0 = PG, .cr3 = 0x1000 };
    gpa = ~0ull;
    return 0;
}

static void pte8(u64 table, u64 index, u64 v) { put64(ram + table + index * 8, v); }

static void test_paging_off(void **state)
{
    p.cr0 = 1;
    assert_int_equal(walk(0x1fee00020, true), 0);
    assert_int_equal(gpa, 0xfee00020);
}

static void test_32_bit(void **state)
{
    put32(ram + 0x1000 + 4 * 3, 0x2000 | 7);
    put32(ram + 0x2000 + 4 * 5, 0xfee00000 | 3);
    assert_int_equal(walk(3 << 22 | 5 << 12 | 0x20, true), 0);
    assert_int_equal(gpa, 0xfee00020);
    p.cpl = 3;
    assert_int_equal(walk(3 << 22 | 5 << 12, false), -EFAULT);
    p.cpl = 0;
    put32(ram + 0x1000 + 4 * 4, 0x00c00000 | 0x83 | 1 << 13); /* 4 MiB page, address bit 32 */
    p.cr4 = PSE;
    assert_int_equal(walk(4 << 22 | 0x12345, true), 0);
    assert_true(gpa == 0x100c12345);
    p.cr4 = 0; /* without PSE the same entry is a table, at 0xc02000: outside RAM */
    assert_int_equal(walk(4 << 22 | 0x12345, true), -EFAULT);
}

static void test_pae(void **state)
{
    p.cr4 = PAE;
    p.cr3 = 0x1020;
    put64(ram + 0x1020 + 8 * 2, 0x2000 | 1); /* a PDPTE has no write bit */
    pte8(0x2000, 7, 0x3000 | 7);
    pte8(0x3000, 9, 0x8000123450004000 | 3);
    assert_int_equal(walk(2u << 30 | 7 << 21 | 9 << 12 | 0xabc, true), 0);
    assert_true(gpa == 0x123450004abc);
    pte8(0x2000, 8, 0x40000000 | 0x83);
    assert_int_equal(walk(2u << 30 | 8 << 21 | 0x12345, true), 0);
    assert_int_equal(gpa, 0x40012345);
}

static void test_long_mode(void **state)
{
    u64 va = 0xffff800000000000ull | 5ull << 30 | 6 << 21 | 7 << 12 | 0xff8;
    p.cr4 = PAE;
    p.efer = LMA;
    pte8(0x1000, 256, 0x2000 | 7);
    pte8(0x2000, 5, 0x3000 | 7);
    pte8(0x3000, 6, 0x4000 | 5);
    pte8(0x4000, 7, 0xfec00000 | 7);
    assert_int_equal(walk(va, false), 0);
    assert_int_equal(gpa, 0xfec00ff8);
    assert_int_equal(walk(va, true), 0); /* read-only, but CR0.WP is clear */
    p.cr0 |= 1 << 16;
    assert_int_equal(walk(va, true), -EFAULT);
    p.cpl = 3;
    assert_int_equal(walk(va, false), 0);
    assert_int_equal(walk(va & ~(1ull << 63), false), -EFAULT); /* not canonical */
    pte8(0x2000, 5, 0x40000000 | 0x87 | 0x1000);                /* 1 GiB page with its PAT bit */
    assert_int_equal(walk(va, true), 0);
    assert_int_equal(gpa, 0x40000000 + (6 << 21 | 7 << 12 | 0xff8));
    p.cr3 = 0x100000;
    assert_int_equal(walk(va, false), -EFAULT);
    p.cr3 = ~0ull;
    assert_int_equal(walk(va, false), -EFAULT);
}

static void test_five_levels(void **state)
{
    p.cr4 = PAE | LA57;
    p.efer = LMA;
    pte8(0x1000, 3, 0x2000 | 7);
    pte8(0x2000, 4, 0x3000 | 7);
    pte8(0x3000, 5, 0x4000 | 7);
    pte8(0x4000, 6, 0x80000000 | 0x87);
    assert_int_equal(walk(3ull << 48 | 4ull << 39 | 5ull << 30 | 6 << 21 | 1, true), 0);
    assert_int_equal(gpa, 0x80000001);
    pte8(0x2000, 4, 0x3000 | 0x87); /* there is no page of 512 GiB */
    assert_int_equal(walk(3ull << 48 | 4ull << 39 | 5ull << 30 | 6 << 21 | 1, true), 0);
}

static void test_copies_across_pages(void **state)
{
    u8 buf[16] = { 0 };
    p.efer = LMA;
    p.cr4 = PAE;
    pte8(0x1000, 0, 0x2000 | 3);
    pte8(0x2000, 0, 0x3000 | 3);
    pte8(0x3000, 0, 0x4000 | 3);
    pte8(0x4000, 0, 0x8000 | 3);
    pte8(0x4000, 1, 0x6000 | 3);
    memcpy(ram + 0x8ff8, "abcdefgh", 8);
    memcpy(ram + 0x6000, "ijklmnop", 8);
    assert_int_equal(guest_copy(&cpu, 0xff8, buf, 15, false), 15);
    assert_memory_equal(buf, "abcdefghijklmno", 15);
    assert_int_equal(guest_copy(&cpu, 0xfff, (u8[]){ 'X', 'Y' }, 2, true), 2);
    assert_int_equal(ram[0x8fff], 'X');
    assert_int_equal(ram[0x6000], 'Y');
    assert_int_equal(guest_copy(&cpu, 0x1ff8, buf, 15, false), 8); /* the third page is not there */
    pte8(0x4000, 2, 0xfee00000 | 3);
    assert_int_equal(guest_copy(&cpu, 0x1ff8, buf, 15, false), 8); /* there, but no RAM */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_paging_off, setup),  cmocka_unit_test_setup(test_32_bit, setup),
        cmocka_unit_test_setup(test_pae, setup),         cmocka_unit_test_setup(test_long_mode, setup),
        cmocka_unit_test_setup(test_five_levels, setup), cmocka_unit_test_setup(test_copies_across_pages, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
