/* SPDX-License-Identifier: MIT */
/* Physical memory: never twice, never what was reserved, whole again when all is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include <core/frames.h>
#include <errors.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

static void what_was_given_is_taken_back_when_all_of_it_is_free(void **state)
{
    assert_int_equal(frames_give(0x100000, 0x10000), 0);
    assert_int_equal(frames_give(0x110000, 0x10000), 0); /* touches */
    assert_int_equal(frames_free_bytes(), 0x20000);
    paddr_t used = frames_alloc(1, 0x10000);
    assert_int_equal(used, 0x100000);
    assert_int_equal(frames_take(0x100000, 0x10000), -EBUSY);
    assert_int_equal(frames_take(0x110000, 0x8000), -EINVAL); /* not what was given */
    assert_int_equal(frames_take(0x110000, 0x10000), 0);
    assert_int_equal(frames_take(0x110000, 0x10000), -EINVAL); /* it is no longer ours */
    assert_int_equal(frames_free_bytes(), 0xf000);
    frames_free(used, 1);
    assert_int_equal(frames_take(0x100000, 0x10000), 0);
    assert_int_equal(frames_free_bytes(), 0);
}

static void just_these_pages_are_claimed_if_all_are_free(void **state)
{
    frames_add(0x100000, 0x10000);
    assert_int_equal(frames_claim(0x104000, 0x2000), 0); /* the middle */
    assert_int_equal(frames_free_bytes(), 0xe000);
    assert_int_equal(frames_claim(0x103000, 0x2000), -EBUSY);
    assert_int_equal(frames_claim(0x10f000, 0x2000), -EBUSY); /* reaches beyond */
    frames_free(0x104000, 2);
    assert_int_equal(frames_claim(0x103000, 0x2000), 0);
    frames_free(0x103000, 2);
    assert_int_equal(frames_take(0x100000, 0x10000), -EINVAL); /* nobody gave it */
    assert_int_equal(frames_free_bytes(), 0x10000);
}

static void the_longest_run_is_found_when_nothing_is_large_enough(void **state)
{
    frames_add(0x1000, 3 * MIB);            /* of whole pages of 2 MiB: none */
    frames_add(6 * MIB, 2 * MIB);           /* one */
    frames_add(17 * MIB - 0x1000, 8 * MIB); /* three, from 18 MiB on */
    u64 n = 512;
    assert_int_equal(frames_alloc_longest(&n, 2 * MIB), 18 * MIB); /* no more than was asked for */
    assert_int_equal(n, 512);
    n = 1 << 20;
    assert_int_equal(frames_alloc_longest(&n, 2 * MIB), 20 * MIB);
    assert_int_equal(n, 1024);
    n = 1 << 20;
    assert_int_equal(frames_alloc_longest(&n, 2 * MIB), 6 * MIB);
    assert_int_equal(n, 512);
    n = 1 << 20;
    assert_true(frames_alloc_longest(&n, 2 * MIB) == NONE);
    assert_int_equal(frames_free_bytes(), 5 * MIB);
}

static void a_piece_for_a_guest_is_one_that_was_given(void **state)
{
    assert_int_equal(frames_give(0x400000, 4 * MIB), 0);
    frames_add(0x1000000, 16 * MIB); /* the kernel's own */
    u64 n = 1 << 20;
    assert_int_equal(frames_alloc_longest(&n, 2 * MIB), 0x400000);
    assert_int_equal(n, 1024);
    n = 1 << 20;
    assert_true(frames_alloc_longest(&n, 2 * MIB) == NONE);
    frames_free(0x400000, 1024);
    assert_int_equal(frames_take(0x400000, 4 * MIB), 0);
}

static void clearing_leaves_zeros_and_writes_nothing_where_they_are(void **state)
{
    u8 *p = mmap(NULL, 4 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + PAGE_SIZE, PAGE_SIZE, PROT_READ), 0); /* a write there would be the end */
    for (unsigned i = 0; i < PAGE_SIZE; i++) {
        p[i] = 1;
        p[4 * PAGE_SIZE - 1 - i] = 0x80;
        clear_pages(p, 4);
        assert_int_equal(p[i] | p[4 * PAGE_SIZE - 1 - i], 0);
    }
    memset(p + 2 * PAGE_SIZE, 0xaa, 2 * PAGE_SIZE);
    clear_pages(p, 3);
    for (unsigned i = 0; i < 3 * PAGE_SIZE; i++)
        assert_int_equal(p[i], 0);
    assert_int_equal(p[3 * PAGE_SIZE], 0xaa); /* and nothing beyond */
    munmap(p, 4 * PAGE_SIZE);
}

/* 4 MiB given below and above what the kernel has, touching it. */
static void the_kernels_own_needs_stay_out_of_what_was_given(void **state)
{
    assert_int_equal(frames_give(0x400000, 4 * MIB), 0);
    frames_add(0x800000, 4 * MIB);
    assert_int_equal(frames_give(0xc00000, 4 * MIB), 0);
    paddr_t small = frames_alloc(2, PAGE_SIZE), large = frames_alloc(512, 2 * MIB);
    assert_int_equal(small, 0x800000);
    assert_int_equal(large, 0x400000);
    frames_free(small, 2);
    frames_free(large, 512);
    assert_int_equal(frames_alloc(1, PAGE_SIZE), 0x800000); /* each kind has healed into its own */
    assert_int_equal(frames_alloc(1024, PAGE_SIZE), 0x400000);
    assert_int_equal(frames_alloc(1024, PAGE_SIZE), 0xc00000);
    assert_true(frames_alloc(1024, PAGE_SIZE) == NONE);
    assert_int_equal(frames_alloc(1022, PAGE_SIZE), 0x801000); /* when nothing else is left */
    assert_int_equal(frames_alloc(1, PAGE_SIZE), 0xbff000);
    assert_true(frames_alloc(1, PAGE_SIZE) == NONE);
    frames_free(0xc00000, 1024);
    assert_int_equal(frames_alloc(1, PAGE_SIZE), 0xc00000);
    frames_free(0xc00000, 1);
    assert_int_equal(frames_take(0xc00000, 4 * MIB), 0);
    frames_free(0x400000, 1024);
    assert_int_equal(frames_take(0x400000, 4 * MIB), 0);
    assert_int_equal(frames_free_bytes(), 0);
}

static void nothing_is_given_twice_or_in_part(void **state)
{
    assert_int_equal(frames_give(0x10000, 0x4000), 0);
    assert_int_equal(frames_give(0x13000, 0x2000), -EEXIST);
    assert_int_equal(frames_give(0xf000, 0x10000), -EEXIST);
    assert_int_equal(frames_give(0x20800, 0x1000), -EINVAL);
    assert_int_equal(frames_give(0x20000, 0x800), -EINVAL);
    assert_int_equal(frames_give(0x20000, 0), -EINVAL);
    assert_int_equal(frames_give(~0xffful, 0x1000), -EINVAL); /* its end is 0 */
    assert_int_equal(frames_give(0x20000, ~0xffful), -EINVAL);
    assert_int_equal(frames_claim(0x10800, 0x1000), -EINVAL);
    assert_int_equal(frames_claim(0x10000, 0), -EINVAL);
    assert_int_equal(frames_claim(0x10000, ~0xffful), -EINVAL);
    assert_int_equal(frames_free_bytes(), 0x4000);
    assert_int_equal(frames_take(0x10000, 0x4000), 0);
}

/* Blocks of Linux' memory come and go in any order. */
static void each_of_many_gifts_is_told_from_the_kernels_own(void **state)
{
    drain();
    frames_add(0x100000, MIB);
    for (u64 i = 0; i < 256; i++)
        assert_int_equal(frames_give(16 * MIB + i * 37 % 256 * MIB, MIB), 0); /* 37 and 256 have no common factor */
    assert_int_equal(frames_give(512 * MIB, MIB), -ENOSPC);
    assert_int_equal(frames_free_bytes(), 257 * MIB);
    assert_int_equal(frames_alloc(1, PAGE_SIZE), 0x100000);
    assert_int_equal(frames_alloc(512, PAGE_SIZE), 16 * MIB);
    frames_free(16 * MIB, 512);
    for (u64 i = 0; i < 256; i++)
        assert_int_equal(frames_take(16 * MIB + i * 91 % 256 * MIB, MIB), 0);
    assert_int_equal(frames_free_bytes(), MIB - PAGE_SIZE);
}

static void a_full_table_refuses_ranges_and_holes(void **state)
{
    unsigned n = 0, own = 0;
    while (own < 256 - 128)
        frames_add(0x10000000 + own++ * 0x10000ul, 0x4000);
    while (!frames_give(0x100000 + n * 0x10000ul, 0x4000))
        n++;
    assert_int_equal(n, 128);
    assert_int_equal(frames_claim(0x101000, 0x1000), -ENOSPC); /* no room for the rest */
    assert_int_equal(frames_claim(0x100000, 0x1000), 0);
    frames_free(0x100000, 1);
    assert_int_equal(frames_free_bytes(), 256 * 0x4000);
    assert_int_equal(frames_take(0x100000, 0x4000), 0);
    frames_add(0x20000000, 0x4000);
    assert_int_equal(frames_give(0x100000, 0x4000), -ENOSPC); /* a place as a gift, none as a range */
    while (n-- > 1)
        assert_int_equal(frames_take(0x100000 + n * 0x10000ul, 0x4000), 0);
}

static void what_a_domain_had_is_overwritten(void **state)
{
    u8 *page = aligned_alloc(PAGE_SIZE, 2 * PAGE_SIZE);
    for (unsigned i = 0; i < 2 * PAGE_SIZE; i++)
        page[i] = 0x5a;
    frames_clean((paddr_t)(uintptr_t)page, 1);
    assert_int_equal(frames_free_bytes(), PAGE_SIZE);
    page_clean(page + PAGE_SIZE);
    page_clean(NULL);
    assert_int_equal(frames_free_bytes(), 2 * PAGE_SIZE);
    for (unsigned i = 0; i < 2 * PAGE_SIZE; i++)
        assert_int_equal(page[i], 0);
    drain();
    free(page);
}

/* Memory that is not zero shows what is cleared: all but what has never been used. */
static void what_was_never_used_is_not_cleared_again(void **state)
{
    u8 *memory = aligned_alloc(PAGE_SIZE, 8 * PAGE_SIZE);
    paddr_t base = (paddr_t)(uintptr_t)memory;
    memset(memory, 0x5a, 8 * PAGE_SIZE);
    frames_add(base, 8 * PAGE_SIZE);
    frames_are_zero(base + PAGE_SIZE);
    assert_int_equal(*(u8 *)page_alloc(), 0);    /* below it */
    assert_int_equal(*(u8 *)page_alloc(), 0x5a); /* the first time */
    page_free(memory + PAGE_SIZE);
    assert_int_equal(*(u8 *)page_alloc(), 0); /* and the second */
    assert_int_equal(frames_alloc_clean(2, PAGE_SIZE), base + 2 * PAGE_SIZE);
    assert_int_equal(memory[2 * PAGE_SIZE], 0x5a);
    assert_int_equal(frames_alloc(1, PAGE_SIZE), base + 4 * PAGE_SIZE); /* not cleared, and used now */
    frames_free(base + 4 * PAGE_SIZE, 1);
    assert_int_equal(frames_alloc_clean(2, PAGE_SIZE), base + 4 * PAGE_SIZE);
    assert_int_equal(memory[4 * PAGE_SIZE] | memory[6 * PAGE_SIZE - 1], 0); /* one of them was */
    frames_are_zero(NONE);
    drain();
    free(memory);
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
        T(what_was_given_is_taken_back_when_all_of_it_is_free),
        T(just_these_pages_are_claimed_if_all_are_free),
        T(the_kernels_own_needs_stay_out_of_what_was_given),
        T(the_longest_run_is_found_when_nothing_is_large_enough),
        T(a_piece_for_a_guest_is_one_that_was_given),
        T(clearing_leaves_zeros_and_writes_nothing_where_they_are),
        T(nothing_is_given_twice_or_in_part),
        T(each_of_many_gifts_is_told_from_the_kernels_own),
        T(a_full_table_refuses_ranges_and_holes),
        T(what_a_domain_had_is_overwritten),
        T(a_full_table_loses_memory_but_nothing_else),
        T(what_was_never_used_is_not_cleared_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
