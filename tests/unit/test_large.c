/* SPDX-License-Identifier: MIT */
/* Large pages of a process, with the tables of x86-64: what the processor finds there, whose memory it is, what is
 * refused, and that memory is in one piece again when small and large pages are gone. */
#include "threads.h"

#include <core/frames.h>
#include <generated/process_calls.h>

static u64 kernel_table[512] __attribute__((aligned(4096)));
static inline unsigned long read_cr3(void) { return (unsigned long)kernel_table; }
static inline void write_cr3(unsigned long root) {}
static inline unsigned long read_cr4(void) { return 0; }
#define CR4_LA57 0ul

#include "arch/x86/64/user/space.c"
#include "process/frames.h"
#include "process/memory.h"
#include "process/pages.h"

#define LARGE  SPACE_LARGE
#define BEFORE 3u /* frames before the first aligned address, */
#define RUNS   4u /* large pages from there on, the first of which has a frame that is used, */
#define BEHIND 5u /* and frames behind them */
#define FRAMES (BEFORE + RUNS * RUN_FRAMES + BEHIND)
#define USED   4u /* as the first stack: BEFORE, and one more */
#define WHOLE  (RUNS - 1)
#define AT(n)  (USER_BASE + GIB + (n)*LARGE) /* nothing is mapped there */

#include "pages_test.h"

void user_refresh(struct user *u) {}

static int begin(void **state)
{
    setup(state);
    kernel_root = 0;
    pages_begin();
    p.space.level4[USER_BASE >> TOP_SHIFT & 511] =
        space_table_of(virt_to_phys(space_new_table(&p.space))); /* as the image */
    process_frames_init(&p);
    assert_int_equal(p.n_free, FRAMES - USED);
    return 0;
}

static int end(void **state)
{
    pages_end();
    return 0;
}

static s64 map(u64 at, u64 n) { return process_call_map(&self, at, n, PROCESS_CALL_MAP_LARGE); }
static s64 map_small(u64 at, u64 n) { return process_call_map(&self, at, n, PROCESS_CALL_MAP_WRITE); }
static s64 unmap_all(void) { return process_call_unmap(&self, AT(0), 64 * LARGE); }

/* What the processor finds: the entry of the third level, by the tables' own bits (APM volume 2, 5.3.3). */
static u64 found(u64 at)
{
    u64 e = p.space.level4[at >> 39 & 511];
    for (unsigned shift = 30; shift >= 21 && e & 1; shift -= 9)
        e = ((u64 *)(uintptr_t)(e & 0x000ffffffffff000ul))[at >> shift & 511];
    return e;
}

static u8 *memory_of(u64 at) { return (u8 *)(uintptr_t)(found(at) & 0x000fffffffe00000ul) + at % LARGE; }

/* Tables are frames of the process's: a test that needs none more has them made before. */
static void make_tables(void)
{
    assert_int_equal(map(AT(0), LARGE), AT(0));
    assert_int_equal(unmap_all(), 0);
}

static void test_the_processor_finds_one_entry_of_2_mib_in_the_processs_memory(void **state)
{
    assert_int_equal(map(AT(1), 2 * LARGE), AT(1));
    for (unsigned i = 1; i < 3; i++) {
        u64 e = found(AT(i)), pa = e & 0x000fffffffffe000ul;
        assert_int_equal(e & 0xfff, 0x87); /* there, writable, the user's, a page and no table */
        assert_true(e >> 63 && pa % LARGE == 0 && pa >= p.memory && pa + LARGE <= p.memory + p.size);
    }
    assert_true(memory_of(AT(1)) != memory_of(AT(2)) && !found(AT(0)) && !found(AT(3)));
    assert_true(memory_of(AT(1)) >= area + 2 * LARGE && memory_of(AT(2)) >= area + 2 * LARGE); /* not the stack's */
    assert_int_equal(p.n_large, 2);
}

static void test_rights_change_and_are_never_both(void **state)
{
    static const unsigned bits[] = { [0] = 0x85, [SPACE_WRITE] = 0x87, [SPACE_EXEC] = 0x85 };
    map(AT(0), 2 * LARGE);
    for (unsigned rights = 0; rights < 3; rights++) {
        assert_int_equal(process_call_protect(&self, AT(0), LARGE, rights), 0);
        assert_int_equal(found(AT(0)) & 0xfff, bits[rights]);
        assert_int_equal(found(AT(0)) >> 63, rights != SPACE_EXEC);
        assert_int_equal(found(AT(1)) & 0xfff, 0x87);
        assert_int_equal(process_touch(&self, AT(0) + MIB, SPACE_WRITE), rights == SPACE_WRITE);
        assert_int_equal(process_touch(&self, AT(0) + MIB, SPACE_EXEC), rights == SPACE_EXEC);
    }
}

static void test_what_is_not_aligned_or_not_there_is_refused(void **state)
{
    make_tables();
    u32 before = p.n_free;
    assert_int_equal(map(AT(0) + PAGE_SIZE, LARGE), -EINVAL);
    assert_int_equal(map(AT(0) + LARGE / 2, LARGE), -EINVAL);
    assert_int_equal(map(AT(0), LARGE + PAGE_SIZE), -EINVAL);
    assert_int_equal(map(0, PAGE_SIZE), -EINVAL);
    assert_int_equal(map(AT(0), 0), -EINVAL);
    assert_int_equal(map(USER_BASE - LARGE, LARGE), -EFAULT);
    assert_int_equal(map(PROCESS_PARTS, LARGE), -EFAULT);
    assert_int_equal(map(PROCESS_PARTS - LARGE, 2 * LARGE), -EFAULT);
    assert_int_equal(map(AT(0), -LARGE), -EFAULT);
    assert_int_equal(map(AT(0), (RUNS + 1) * LARGE), -ENOMEM); /* more than there is */
    assert_int_equal(map(AT(0), RUNS * LARGE), -ENOMEM);       /* of one page some is used: the others are given back */
    assert_int_equal(p.n_free, before);
    assert_int_equal(p.n_large, 0);
    assert_int_equal(map(AT(0), WHOLE * LARGE), AT(0));
    assert_int_equal(map(AT(8), LARGE), -ENOMEM);
    assert_true(map_small(AT(8), 8 * PAGE_SIZE) > 0); /* single frames are left */
}

static void test_a_place_that_is_taken_is_refused(void **state)
{
    assert_int_equal(map(AT(0), LARGE), AT(0));
    assert_int_equal(map_small(AT(1), PAGE_SIZE), AT(1));
    u32 before = p.n_free;
    assert_int_equal(map(AT(0), LARGE), -EEXIST);
    assert_int_equal(map(AT(1), LARGE), -EEXIST);
    assert_int_equal(map_small(AT(0), PAGE_SIZE), -EEXIST);
    assert_int_equal(map_small(AT(0) + MIB, PAGE_SIZE), -EEXIST);
    assert_int_equal(process_call_map(&self, AT(0) + MIB, PAGE_SIZE, PROCESS_CALL_MAP_LAZY), -EEXIST);
    assert_int_equal(p.n_free, before);
    s64 number = process_call_frame_alloc(&self);
    assert_int_equal(process_call_frame_map(&self, AT(0) + MIB, (u32)number, 0), -EEXIST);
    assert_int_equal(process_call_frame_of(&self, AT(0) + MIB), -EACCES);
    assert_int_equal(unmap_all(), 0);
    before = p.n_free;
    assert_int_equal(map(AT(1), LARGE), -EEXIST); /* the table of the small page is still there */
    assert_true(p.n_free == before && !p.n_large);
    assert_int_equal(map_small(AT(0), PAGE_SIZE), AT(0));
}

static void test_frames_of_a_large_page_have_no_number(void **state)
{
    map(AT(0), LARGE);
    u32 first = process_frame_of(&p, found(AT(0)));
    for (u32 i = 0; i < RUN_FRAMES; i += 73) {
        assert_int_equal(process_call_frame_free(&self, first + i), -ENOENT);
        assert_int_equal(process_call_frame_map(&self, AT(9), first + i, 0), -ENOENT);
    }
}

static void test_no_call_cuts_a_large_page(void **state)
{
    map(AT(1), 2 * LARGE);
    map_small(AT(0), PAGE_SIZE);
    memset(memory_of(AT(1)), 7, LARGE);
    u64 cuts[][2] = { { AT(1), PAGE_SIZE },
                      { AT(1) + PAGE_SIZE, LARGE - PAGE_SIZE },
                      { AT(0), LARGE + PAGE_SIZE },
                      { AT(1) + LARGE / 2, LARGE },
                      { AT(2) - PAGE_SIZE, 8 * LARGE } };
    for (unsigned i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        assert_int_equal(process_call_unmap(&self, cuts[i][0], cuts[i][1]), -EINVAL);
        s64 err = process_call_protect(&self, cuts[i][0], cuts[i][1], 0);
        assert_true(err == -EINVAL || (err == -EFAULT && cuts[i][0] == AT(0))); /* where no page is it is found first */
        assert_int_equal(found(AT(1)) & 0xfff, 0x87);
        assert_int_equal(found(AT(2)) & 0xfff, 0x87);
        assert_true(process_touch(&self, AT(0), SPACE_WRITE) && memory_of(AT(1))[LARGE - 1] == 7);
    }
    assert_int_equal(process_call_unmap(&self, AT(0), 2 * LARGE), 0);
    assert_true(!process_touch(&self, AT(0), 0) && !found(AT(1)) && found(AT(2)));
}

static void test_all_memory_is_zero_and_in_one_piece_again(void **state)
{
    make_tables();
    u32 before = p.n_free;
    for (unsigned life = 0; life < 50; life++) {
        u8 *at[WHOLE];
        assert_int_equal(map(AT(life % 3), WHOLE * LARGE), AT(life % 3));
        for (unsigned i = 0; i < WHOLE; i++) {
            at[i] = memory_of(AT(life % 3 + i));
            at[i][0] = at[i][LARGE - 1] = at[i][life * PAGE_SIZE] = 7;
        }
        assert_int_equal(unmap_all(), 0);
        for (unsigned i = 0; i < WHOLE; i++)
            assert_true(!at[i][0] && !at[i][LARGE - 1] && !at[i][life * PAGE_SIZE]);
        assert_int_equal(p.n_free, before);
        assert_int_equal(p.n_large, 0);
    }
    assert_true(is_zero(area + 2 * LARGE, WHOLE * LARGE));
}

/* All memory in small pages, freed in another order: then there are as many large pages as before. */
static void test_small_pages_become_large_ones_again(void **state)
{
    static u32 taken[FRAMES];
    for (unsigned life = 0; life < 3; life++) {
        u32 n = 0;
        while ((taken[n] = process_frame_alloc(&p)) != FRAME_NONE)
            n++;
        assert_int_equal(n, FRAMES - USED);
        assert_int_equal(process_large_alloc(&p), FRAME_NONE);
        for (u32 i = 0; i < n; i++)
            process_frame_free(&p, taken[(i * 7919ul + life) % n]); /* a prime that does not divide n */
        assert_int_equal(p.n_free, n);
        for (unsigned i = 0; i < WHOLE; i++)
            assert_true(process_large_alloc(&p) != FRAME_NONE);
        assert_int_equal(process_large_alloc(&p), FRAME_NONE);
        assert_int_equal(p.n_free, n - WHOLE * RUN_FRAMES);
        process_frames_init(&p);
    }
}

static void test_small_pages_leave_runs_whole_as_long_as_they_can(void **state)
{
    for (unsigned i = 0; i < BEFORE + RUN_FRAMES + BEHIND - USED; i++)
        assert_true(process_frame_alloc(&p) != FRAME_NONE);
    for (unsigned i = 0; i < WHOLE; i++)
        assert_true(process_large_alloc(&p) != FRAME_NONE);
    assert_int_equal(p.n_free, 0);
}

static void test_what_is_promised_is_no_large_page(void **state)
{
    make_tables();
    map_small(AT(20), PAGE_SIZE); /* the table of the lazy pages */
    u64 n = p.n_free - (RUN_FRAMES - 1);
    assert_int_equal(process_call_map(&self, AT(20) + PAGE_SIZE, 500 * PAGE_SIZE, PROCESS_CALL_MAP_LAZY),
                     AT(20) + PAGE_SIZE);
    p.n_free -= n - 500; /* as if the others were, too */
    assert_int_equal(map(AT(0), LARGE), -ENOMEM);
    assert_int_equal(process_large_alloc(&p), FRAME_NONE);
    p.n_free++;
    assert_int_equal(map(AT(0), LARGE), AT(0));
    p.n_free += n - 501;
    for (unsigned i = 1; i <= 500; i++)
        assert_true(process_touch(&self, AT(20) + i * PAGE_SIZE, SPACE_WRITE));
}

static bool was_there;
static void while_it_is_being_unmapped(void)
{
    u64 e = found(AT(0));
    assert_true(e && !(e & 1)); /* the processor finds nothing, and nobody a free place */
    assert_int_equal(*memory_of(AT(0)), 7);
    assert_int_equal(map_small(AT(0), PAGE_SIZE), -EEXIST);
    assert_int_equal(map(AT(0), LARGE), -EEXIST);
    assert_int_equal(process_call_protect(&self, AT(0), LARGE, 0), -EFAULT);
    assert_int_equal(process_call_unmap(&self, AT(0), LARGE), 0);
    assert_false(process_touch(&self, AT(0), 0) || process_touch(&self, AT(0) + MIB, SPACE_WRITE));
    assert_int_equal(p.n_large, 1);
    was_there = true;
}
static void first_of_two(void) { host_elsewhere = while_it_is_being_unmapped; }

static void test_its_place_is_taken_until_every_core_has_forgotten_it(void **state)
{
    map(AT(0), LARGE);
    u8 *memory = memory_of(AT(0));
    *memory = 7;
    was_there = false;
    host_elsewhere = first_of_two; /* the first lock hides the page, the second one comes when it is forgotten */
    assert_int_equal(process_call_unmap(&self, AT(0), LARGE), 0);
    assert_true(was_there && !found(AT(0)) && !*memory && !p.n_large);
    assert_int_equal(map_small(AT(0), PAGE_SIZE), AT(0));
}

static void test_a_pinned_one_is_kept_until_it_is_unpinned(void **state)
{
    static struct process_pins pins, more;
    map(AT(0), 2 * LARGE);
    u8 *memory = memory_of(AT(0));
    u32 first = process_frame_of(&p, found(AT(0))), before = p.n_free;
    memset(memory, 7, LARGE);
    irq_enable();
    assert_int_equal(process_pin(&self, AT(0) + MIB - 10, MIB, true, &pins), 0);
    assert_int_equal(pins.n, 257);
    for (u32 i = 0; i < pins.n; i++)
        assert_int_equal(pins.frame[i], first + MIB / PAGE_SIZE - 1 + i);
    assert_int_equal(process_pin(&self, AT(1) - 1, 2, true, &more), 0); /* from one into the other */
    assert_int_equal(more.n, 2);
    assert_true(more.frame[0] == first + RUN_FRAMES - 1 && more.frame[1] == process_frame_of(&p, found(AT(1))));
    process_unpin(&self, &more);
    assert_int_equal(process_call_protect(&self, AT(0), LARGE, SPACE_EXEC), -EACCES);
    assert_int_equal(process_call_unmap(&self, AT(0), LARGE), 0);
    assert_true(p.n_free == before && p.n_large == 2 && memory[0] == 7 && !found(AT(0)));
    process_unpin(&self, &pins);
    assert_true(p.n_free == before + RUN_FRAMES && p.n_large == 1 && is_zero(memory, LARGE));
    assert_int_equal(process_call_protect(&self, AT(1), LARGE, 0), 0);
    assert_int_equal(process_pin(&self, AT(1), 1, true, &pins), -EFAULT); /* it may not be written */
    assert_int_equal(process_call_unmap(&self, AT(1), LARGE), 0);
    assert_int_equal(process_pin(&self, AT(1), 1, false, &pins), -EFAULT);
}

static void test_the_kernel_chooses_a_place_without_a_table_or_neighbours(void **state)
{
    assert_int_equal(map_small(USER_BASE + 2 * LARGE, PAGE_SIZE), USER_BASE + 2 * LARGE);
    assert_int_equal(process_call_unmap(&self, USER_BASE + 2 * LARGE, PAGE_SIZE), 0); /* its table stays */
    s64 small = map_small(0, PAGE_SIZE), one = map(0, LARGE), two = map(0, LARGE), other = map_small(0, PAGE_SIZE);
    assert_true(small > 0 && one > 0 && two > 0 && other > 0);
    assert_true(one % LARGE == 0 && two % LARGE == 0 && one / LARGE != small / LARGE && one != two);
    u64 size, at[] = { (u64)one, (u64)two };
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(*space_walk(&p.space, at[i] - PAGE_SIZE, &size), 0);
        assert_int_equal(*space_walk(&p.space, at[i] + LARGE, &size), 0);
    }
    assert_int_equal(process_call_unmap(&self, (u64)one, LARGE), 0);
    assert_int_equal(map(0, LARGE), one);
    assert_int_equal(map(0, PROCESS_PARTS - USER_BASE), -ENOMEM);
}

static void test_the_end_of_the_process_leaves_no_entry_and_no_table(void **state)
{
    u64 size;
    map(AT(0), LARGE);
    space_clear(&p.space, p.memory, p.memory + p.size);
    assert_true(!*space_walk(&p.space, AT(0), &size) && size > LARGE);
    memset(area, 0, (RUNS + 2) * LARGE);
    process_frames_init(&p);
    assert_int_equal(p.n_free, FRAMES - USED);
    assert_int_equal(map(AT(0), WHOLE * LARGE), AT(0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_processor_finds_one_entry_of_2_mib_in_the_processs_memory),
        TEST(test_rights_change_and_are_never_both),
        TEST(test_what_is_not_aligned_or_not_there_is_refused),
        TEST(test_a_place_that_is_taken_is_refused),
        TEST(test_frames_of_a_large_page_have_no_number),
        TEST(test_no_call_cuts_a_large_page),
        TEST(test_all_memory_is_zero_and_in_one_piece_again),
        TEST(test_small_pages_become_large_ones_again),
        TEST(test_small_pages_leave_runs_whole_as_long_as_they_can),
        TEST(test_what_is_promised_is_no_large_page),
        TEST(test_its_place_is_taken_until_every_core_has_forgotten_it),
        TEST(test_a_pinned_one_is_kept_until_it_is_unpinned),
        TEST(test_the_kernel_chooses_a_place_without_a_table_or_neighbours),
        TEST(test_the_end_of_the_process_leaves_no_entry_and_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
