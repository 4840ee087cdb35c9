/* SPDX-License-Identifier: MIT */
/* Physical memory: never twice, never what was reserved, whole again when all is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include <core/frames.h>
#include <stdlib.h>

#define NONE ((paddr_t)-1)

/* The allocator never touches the memory itself, so the addresses may be invented. Each test leaves it empty. */
static void drain(void) { frames_reserve(0, ~0ull); }
static int setup(void **state)
{
    drain();
    return 0;
}

static void ranges_are_trimmed_to_pages_and_merged(void **state)
{
    frames_add(0x1001, 0x2fff); /* 0x2000-0x4000 */
    frames_add(0x3000, 0x2000); /* overlaps, to 0x5000 */
    frames_add(0x5000, 0x1000); /* touches */
    frames_add(0x9000, 0xfff);  /* less than a page */
    assert_int_equal(frames_free_bytes(), 0x4000);
    assert_int_equal(frames_alloc(4, PAGE_SIZE), 0x2000);
    assert_true(frames_alloc(1, PAGE_SIZE) == NONE);
}

static void reserved_pages_are_never_handed_out(void **state)
{
    frames_add(0x10000, 0x10000);
    frames_reserve(0x12800, 0x10); /* one page in the middle */
    frames_reserve(0x0, 0x10001);  /* the first, by its first byte */
    frames_reserve(0x1f000, 0x100000);
    frames_reserve(0x500000, 0x1000); /* not RAM: ignored */
    assert_int_equal(frames_free_bytes(), 0xd000);
    for (paddr_t p; (p = frames_alloc(1, PAGE_SIZE)) != NONE;) {
        assert_int_not_equal(p, 0x10000);
        assert_int_not_equal(p, 0x12000);
        assert_int_not_equal(p, 0x1f000);
    }
}

static void reserving_spans_several_ranges(void **state)
{
    for (unsigned i = 0; i < 10; i++)
        frames_add(0x100000 + i * 0x2000, 0x1000);
    frames_reserve(0x100000, 9 * 0x2000);
    assert_int_equal(frames_free_bytes(), 0x1000);
    assert_int_equal(frames_alloc(1, PAGE_SIZE), 0x100000 + 9 * 0x2000);
}

static void alignment_is_kept_and_the_rest_stays_usable(void **state)
{
    frames_add(0x1000, 5 * MIB);
    paddr_t p = frames_alloc(512, 2 * MIB);
    assert_int_equal(p, 2 * MIB);
    assert_int_equal(frames_free_bytes(), 3 * MIB);
    assert_int_equal(frames_alloc(1, PAGE_SIZE), 0x1000);
}

static void nonsense_is_refused(void **state)
{
    frames_add(0x1000, MIB);
    assert_true(frames_alloc(0, PAGE_SIZE) == NONE);
    assert_true(frames_alloc(1, 0) == NONE);
    assert_true(frames_alloc(1, 0x1800) == NONE);
    assert_true(frames_alloc(1, 0x800) == NONE);
    assert_true(frames_alloc(~0ull, PAGE_SIZE) == NONE);
    assert_true(frames_alloc(1ull << 52, PAGE_SIZE) == NONE);
    assert_true(frames_alloc(257, PAGE_SIZE) == NONE);
    assert_true(frames_alloc(1, 1ull << 63) == NONE);
    assert_int_equal(frames_free_bytes(), MIB);
    frames_add((paddr_t)-0x3000, 0x10000); /* would wrap: trimmed */
    assert_int_equal(frames_free_bytes(), MIB + 0x2000);
    frames_add((paddr_t)-0x800, 0x10000);
    assert_int_equal(frames_free_bytes(), MIB + 0x2000);
}

static void random_use_never_overlaps_and_heals(void **state)
{
    enum { N = 64 };
    struct {
        paddr_t base;
        u64 n;
    } held[N] = { { 0, 0 } };
    frames_add(16 * MIB, 4 * MIB);
    srand(1);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned i = (unsigned)rand() % N;
        if (held[i].n) {
            frames_free(held[i].base, held[i].n);
            held[i].n = 0;
            continue;
        }
        u64 n = 1 + (u64)rand() % 40, align = PAGE_SIZE << rand() % 6;
        paddr_t p = frames_alloc(n, align);
        if (p == NONE)
            continue;
        assert_int_equal(p % align, 0);
        assert_in_range(p, 16 * MIB, 20 * MIB - n * PAGE_SIZE);
        for (unsigned j = 0; j < N; j++)
            assert_true(!held[j].n || p + n * PAGE_SIZE <= held[j].base || held[j].base + held[j].n * PAGE_SIZE <= p);
        held[i].base = p;
        held[i].n = n;
    }
    for (unsigned i = 0; i < N; i++)
        if (held[i].n)
            frames_free(held[i].base, held[i].n);
    assert_int_equal(frames_alloc(1024, PAGE_SIZE), 16 * MIB); /* one piece again */
}

static void a_full_table_loses_memory_but_nothing_else(void **state)
{
    for (unsigned i = 0; i < 300; i++)
        frames_add(0x100000 + i * 0x2000ull, 0x1000);
    assert_int_equal(frames_free_bytes(), 256 * 0x1000);
    frames_reserve(0x100000, 0x1000);
    assert_int_equal(frames_free_bytes(), 255 * 0x1000);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    host_boot(1);
    const struct CMUnitTest tests[] = {
        T(ranges_are_trimmed_to_pages_and_merged),
        T(reserved_pages_are_never_handed_out),
        T(reserving_spans_several_ranges),
        T(alignment_is_kept_and_the_rest_stays_usable),
        T(nonsense_is_refused),
        T(random_use_never_overlaps_and_heals),
        T(a_full_table_loses_memory_but_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
