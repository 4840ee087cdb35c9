/* SPDX-License-Identifier: MIT */
/* Nested tables in VT-x' format: what is mapped is found with its rights, in cached memory, by a walk of the test's own
 * (Intel SDM vol. 3, 29.3.2). test_npt.c has what both formats share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/vmx.h>
#include <core/frames.h>
#include <hal/memory.h>

static bool gib_pages;
static unsigned pages;
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
u64 host_cr4 = 1ul << 12; /* LA57: EPT has four levels all the same */
u64 host_rdmsr(u32 msr)
{
    assert_int_equal(msr, MSR_VMX_EPT_VPID_CAP);
    return gib_pages ? 1ul << 17 : 0;
}

void *page_alloc(void)
{
    pages++;
    return memset(aligned_alloc(PAGE_SIZE, PAGE_SIZE), 0, PAGE_SIZE);
}
void page_clean(void *page)
{
    pages--;
    free(page);
}

enum { READ = 1, WRITE = 2, EXECUTE = 4, WRITE_BACK = 6, LARGE = 0x80 };

/* Return the entry that maps `gpa`, whose page has *size bytes; 0: none. */
static u64 walk(const struct stage2 *s2, u64 gpa, u64 *size)
{
    u64 entry = s2->root | READ | WRITE | EXECUTE;
    for (unsigned shift = 39;; shift -= 9) {
        assert_int_equal(entry & 7, READ | WRITE | EXECUTE); /* a table takes no right away */
        assert_int_equal(entry & 0xff8, 0);                  /* and has no memory type */
        entry = ((const u64 *)(entry & 0xffffffffff000))[gpa >> shift & 511];
        *size = 1ul << shift;
        if (shift == 12 || entry & LARGE || !entry)
            return entry;
    }
}

static struct stage2 s2;
static void mapped(u64 gpa, u64 to, unsigned rights, u64 size)
{
    u64 is, entry = walk(&s2, gpa, &is);
    assert_int_equal(is, size);
    assert_int_equal(entry & 0xffffffffff000, to);
    assert_int_equal(entry & 7, rights);
    assert_int_equal(entry >> 3 & 7, WRITE_BACK);
    assert_int_equal(!!(entry & LARGE), size > 4096);
}

static void pages_have_the_rights_that_were_asked_for(void **state)
{
    u64 size;
    assert_int_equal(stage2_init(&s2), 0);
    assert_int_equal(stage2_map(&s2, 0x1000, 0x5000, 0x1000, S2_WRITE | S2_EXEC), 0);
    assert_int_equal(stage2_map(&s2, 0x2000, 0x9000, 0x1000, 0), 0);
    assert_int_equal(stage2_map(&s2, 0x3000, 0x7000, 0x1000, S2_WRITE), 0);
    mapped(0x1000, 0x5000, READ | WRITE | EXECUTE, 0x1000);
    mapped(0x2000, 0x9000, READ, 0x1000);
    mapped(0x3000, 0x7000, READ | WRITE, 0x1000);
    assert_int_equal(walk(&s2, 0x4000, &size), 0);
    assert_int_equal(stage2_unmap(&s2, 0x2000, 0x1000), 0);
    assert_int_equal(walk(&s2, 0x2000, &size), 0);
    stage2_free(&s2);
    assert_int_equal(pages, 0);
}

static void pages_are_as_large_as_the_processor_has_them(void **state)
{
    assert_int_equal(stage2_init(&s2), 0);
    assert_int_equal(stage2_map(&s2, 0, 0x40000000, GIB, S2_EXEC), 0);
    mapped(2 * MIB, 0x40000000 + 2 * MIB, READ | EXECUTE, 2 * MIB);
    gib_pages = true;
    assert_int_equal(stage2_map(&s2, GIB, 2 * GIB, GIB, S2_EXEC), 0);
    mapped(GIB, 2 * GIB, READ | EXECUTE, GIB);
    stage2_free(&s2);
    assert_int_equal(pages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_the_rights_that_were_asked_for),
        cmocka_unit_test(pages_are_as_large_as_the_processor_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
