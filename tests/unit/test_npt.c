/* SPDX-License-Identifier: MIT */
/* Nested page tables: what is mapped is found, with the largest pages, and nothing else is. */
#include <errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <core/frames.h>
#include <hal/memory.h>
#include "../host/stage2_walk.h"

static bool gib_pages;
static void *allocated[128];
static unsigned pages, page_limit; /* at most that many */
static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ .edx = gib_pages ? 1u << 26 : 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4;

void *page_alloc(void)
{
    if (pages == page_limit)
        return NULL;
    return memset(allocated[pages++] = aligned_alloc(PAGE_SIZE, PAGE_SIZE), 0, PAGE_SIZE);
}

void page_clean(void *page)
{
    for (unsigned i = 0; i < pages; i++)
        if (allocated[i] == page) {
            free(page);
            allocated[i] = allocated[--pages];
            return;
        }
    fail_msg("%p is not one of its pages", page);
}

static struct stage2 s2;

static int setup(void **state)
{
    gib_pages = false;
    host_cr4 = 0;
    pages = 0;
    page_limit = 100;
    return stage2_init(&s2);
}

static int teardown(void **state)
{
    while (pages)
        free(allocated[--pages]);
    return 0;
}

static void maps_what_it_was_told(void **state)
{
    unsigned prot;
    assert_int_equal(stage2_map(&s2, 0x1000, 0x80003000, 0x5000, S2_WRITE), 0);
    assert_int_equal(stage2_walk(&s2, 0x3456, &prot), 0x80005456);
    assert_int_equal(prot, S2_WRITE);
    assert_int_equal(stage2_walk(&s2, 0xfff, NULL), (paddr_t)-1);
    assert_int_equal(stage2_walk(&s2, 0x6000, NULL), (paddr_t)-1);
    assert_int_equal(stage2_map(&s2, 0x5000, 0, 0x1000, 0), -EEXIST);
}

static void uses_the_largest_pages_that_fit(void **state)
{
    assert_int_equal(stage2_map(&s2, 0, 0x40000000, GIB, S2_EXEC), 0);
    assert_int_equal(pages, 3); /* root, directory pointers, one directory of 2 MiB pages */
    assert_int_equal(stage2_walk(&s2, GIB - 1, NULL), 0x40000000 + GIB - 1);
    gib_pages = true;
    assert_int_equal(stage2_map(&s2, GIB, 0x80000000, 2 * GIB, S2_EXEC), 0);
    assert_int_equal(pages, 3);
    assert_int_equal(stage2_walk(&s2, 3 * GIB - 5, NULL), 0x80000000 + 2 * GIB - 5);
    assert_int_equal(stage2_map(&s2, GIB + 0x1000, 0, 0x1000, 0), -EEXIST); /* inside a large page */
}

static void small_pages_in_a_large_hole(void **state)
{
    assert_int_equal(stage2_map(&s2, 0x1000, 0x1000, 0x1000, 0), 0);
    assert_int_equal(stage2_map(&s2, 0x200000, 0x200000, 0x200000, 0), 0);
    assert_int_equal(stage2_map(&s2, 0x2000, 0x2000, 0x1fe000, 0), 0);
    assert_int_equal(stage2_walk(&s2, 0x1ff123, NULL), 0x1ff123);
}

static void unmap_takes_whole_mappings_only(void **state)
{
    assert_int_equal(stage2_map(&s2, 0, 0, 0x400000, 0), 0);
    assert_int_equal(stage2_unmap(&s2, 0x1000, 0x1000), -EINVAL);
    assert_int_equal(stage2_unmap(&s2, 0x200000, 0x200000), 0);
    assert_int_equal(stage2_walk(&s2, 0x200000, NULL), (paddr_t)-1);
    assert_int_equal(stage2_walk(&s2, 0x1ff000, NULL), 0x1ff000);
}

static void refuses_nonsense(void **state)
{
    assert_int_equal(stage2_map(&s2, 1, 0, 0x1000, 0), -EINVAL);
    assert_int_equal(stage2_map(&s2, 0, 1, 0x1000, 0), -EINVAL);
    assert_int_equal(stage2_map(&s2, 1ul << 48, 0, 0x1000, 0), -EINVAL);
    assert_int_equal(stage2_map(&s2, (1ul << 48) - 0x1000, 0, 0x2000, 0), -EINVAL);
    assert_int_equal(stage2_walk(&s2, ~0ul, NULL), (paddr_t)-1);
    page_limit = pages + 1;
    assert_int_equal(stage2_map(&s2, 0, 0, 0x1000, 0), -ENOMEM);
}

static void five_levels_where_the_host_has_them(void **state)
{
    struct stage2 deep;
    host_cr4 = CR4_LA57;
    assert_int_equal(stage2_init(&deep), 0);
    assert_int_equal(stage2_map(&deep, 1ul << 50, 0x1000, 0x1000, 0), 0);
    assert_int_equal(stage2_walk(&deep, (1ul << 50) + 8, NULL), 0x1008);
    assert_int_equal(stage2_walk(&deep, 8, NULL), (paddr_t)-1);
}

static void all_tables_are_freed_and_nothing_that_they_map(void **state)
{
    gib_pages = true;
    assert_int_equal(stage2_map(&s2, 0, 0x40000000, GIB, S2_EXEC), 0);
    assert_int_equal(stage2_map(&s2, 0x80201000, 0x1000, 0x3ff000, S2_WRITE), 0);
    assert_int_equal(stage2_map(&s2, 1ul << 45, 0x1000, 0x1000, S2_WRITE), 0);
    assert_true(pages > 5);
    stage2_free(&s2);
    assert_int_equal(pages, 0);
    stage2_free(&s2);
    host_cr4 = CR4_LA57;
    page_limit = 4;
    assert_int_equal(stage2_init(&s2), 0);
    assert_int_equal(stage2_map(&s2, 0, 0, 0x1000, 0), -ENOMEM); /* half of what it wanted */
    stage2_free(&s2);
    assert_int_equal(pages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(maps_what_it_was_told, setup, teardown),
        cmocka_unit_test_setup_teardown(uses_the_largest_pages_that_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(small_pages_in_a_large_hole, setup, teardown),
        cmocka_unit_test_setup_teardown(unmap_takes_whole_mappings_only, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_nonsense, setup, teardown),
        cmocka_unit_test_setup_teardown(five_levels_where_the_host_has_them, setup, teardown),
        cmocka_unit_test_setup_teardown(all_tables_are_freed_and_nothing_that_they_map, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
