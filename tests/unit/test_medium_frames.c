/* SPDX-License-Identifier: MIT */
/* The frames of pages of 64 KiB: which become one, who may have them meanwhile, and that all of them are free again. */
#include "medium_test.h"

/* What may happen while a call is between two of its locks: another thread's call. */
static unsigned locks;
static void (*other_call)(void);
static void wait_for_lock(void)
{
    if (--locks)
        host_elsewhere = wait_for_lock;
    else
        other_call();
}

/* Call `call` before the next call takes its lock for the n-th time. */
static void at_lock(unsigned n, void (*call)(void))
{
    locks = n;
    other_call = call;
    host_elsewhere = wait_for_lock;
}

static void lose_it(void) { assert_int_equal(unmap(AT(0), MEDIUM), 0); }
static void put_it_at_the_end(void) { assert_int_equal(map(AT(1), MEDIUM), AT(1)); }
static void promise_all(void)
{
    assert_true(process_call_map(&self, AT(10), p.n_free * PAGE_SIZE, PROCESS_CALL_MAP_LAZY) > 0);
}

static void test_what_another_thread_does_meanwhile_is_found(void **state)
{
    u32 before = p.n_free;
    map(AT(0), MEDIUM);
    at_lock(2, lose_it); /* it is there at the first one */
    assert_int_equal(unmap(AT(0), MEDIUM), 0);
    assert_true(!host_elsewhere && p.n_free == before);
    map(AT(0), MEDIUM);
    at_lock(2, lose_it);
    assert_int_equal(process_call_protect(&self, AT(0), MEDIUM, 0), -EFAULT);
    assert_true(!host_elsewhere && p.n_free == before);
    map_small(AT(0), PAGE_SIZE);
    at_lock(1, put_it_at_the_end); /* the ends were looked at before */
    assert_int_equal(unmap(AT(0), MEDIUM + PAGE_SIZE), -EINVAL);
    assert_true(is_one(AT(1), 0xd7) && !found(AT(0)) && p.n_free == before - 16);
    at_lock(1, promise_all); /* there was enough before */
    assert_int_equal(map(AT(2), MEDIUM), -ENOMEM);
    assert_int_equal(p.n_free, 0);
}

static void map_another(void) { assert_int_equal(map(AT(1), MEDIUM), AT(1)); }

static void test_frames_that_are_not_cleared_yet_become_no_other_page(void **state)
{
    u32 before = p.n_free;
    map(AT(0), MEDIUM);
    u64 first = found(AT(0));
    at_lock(3, map_another); /* unmap() has taken the page, and no core has been told */
    assert_int_equal(unmap(AT(0), MEDIUM), 0);
    assert_true(!host_elsewhere && found(AT(1)) && found(AT(1)) != first);
    assert_int_equal(p.n_free, before - SPACE_GROUP);
}

static struct process_pins pins;
static void pin_a_frame(void)
{
    irq_enable();
    assert_int_equal(process_pin(&self, AT(0) + 9 * PAGE_SIZE, 1, true, &pins), 0);
}

/* protect() looks at all of its range, and then again at each page. */
static void test_a_frame_that_is_pinned_meanwhile_does_not_become_executable(void **state)
{
    map(AT(0), MEDIUM);
    for (unsigned n = 1; n <= 4; n++) {
        at_lock(n, pin_a_frame);
        assert_int_equal(process_call_protect(&self, AT(0), MEDIUM, SPACE_EXEC), -EACCES);
        assert_true(!host_elsewhere && is_one(AT(0), 0xd7));
        process_unpin(&self, &pins);
    }
    assert_int_equal(process_call_protect(&self, AT(0), MEDIUM, SPACE_EXEC), 0);
}

void (*host_at_fence)(void);
static unsigned flushes;
static u8 *watched;
static void while_it_is_flushed(void)
{
    for (u64 at = AT(0); at < AT(1); at += PAGE_SIZE)
        assert_false(found(at)); /* gone from the tables, but nobody else's yet */
    assert_true(watched[0] == 7 && watched[MEDIUM - 1] == 7);
    assert_int_equal(p.frame[(watched - (u8 *)p.memory) / PAGE_SIZE] & (FRAME_USED | FRAME_HELD), FRAME_USED);
    assert_int_equal(p.n_free, FREE - 16);
    flushes++;
}

static void test_its_memory_is_free_only_when_every_core_has_forgotten_it(void **state)
{
    map(AT(0), MEDIUM);
    watched = memory_of(AT(0));
    memset(watched, 7, MEDIUM);
    flushes = 0;
    host_at_fence = while_it_is_flushed;
    p.n = 0;
    assert_int_equal(unmap(AT(0), MEDIUM), 0);
    host_at_fence = NULL;
    assert_true(flushes > 0 && is_zero(watched, MEDIUM) && p.n_free == FREE);
}

static void test_all_memory_is_zero_and_in_pieces_again(void **state)
{
    u32 before = p.n_free;
    for (unsigned life = 0; life < 50; life++) {
        u64 first = AT(life % 3), n = 1 + life * 7 % MOST;
        assert_int_equal(map(first, n * MEDIUM), first);
        for (u64 i = 0; i < n; i++) {
            u8 *at = memory_of(first + i * MEDIUM);
            at[0] = at[MEDIUM - 1] = at[life % 16 * PAGE_SIZE] = 7;
        }
        assert_int_equal(unmap_all(), 0);
        assert_int_equal(p.n_free, before);
    }
    assert_true(
        is_zero(area + SPACE_LARGE + (USED + TABLES) * PAGE_SIZE, (RUNS * RUN_FRAMES - USED - TABLES) * PAGE_SIZE));
    assert_int_equal(map(AT(0), MOST * MEDIUM), AT(0));
    while (p.n_free)
        assert_true(process_frame_alloc(&p) != FRAME_NONE);
    assert_int_equal(map(0, MEDIUM), -ENOMEM);
}

/* Of all frames every third one or so is free: as many pages as there are groups of free ones, and no more. */
static void test_it_finds_all_pieces_that_there_are(void **state)
{
    static u32 taken[FRAMES];
    static bool is_free[FRAMES + 16];
    for (unsigned life = 0; life < 8; life++) {
        u32 n = 0, groups = 0;
        memset(is_free, 0, sizeof(is_free));
        while ((taken[n] = process_frame_alloc(&p)) != FRAME_NONE)
            n++;
        for (u32 i = 0; i < n; i++) {
            u32 one = taken[(i * 7919ul + life) % n]; /* a prime that does not divide n */
            is_free[one] = (one + BEFORE * 15) / 16 % 3 != life % 3 || one % (life + 2);
            if (is_free[one])
                process_frame_free(&p, one);
        }
        for (u32 i = 16 - BEFORE % 16; i + 16 <= FRAMES; i++)
            if ((p.memory / PAGE_SIZE + i) % 16 == 0)
                groups += are_all(is_free + i);
        assert_true(groups > 10 && groups < MOST);
        for (u32 i = 0; i < groups; i++)
            assert_int_equal(map(AT(i), MEDIUM), AT(i));
        assert_int_equal(map(AT(groups), MEDIUM), -ENOMEM);
        for (u32 i = 0; i < groups; i++)
            for (u32 k = 0; k < 16; k++)
                assert_true(is_free[(memory_of(AT(i) + k * PAGE_SIZE) - (u8 *)p.memory) / PAGE_SIZE]);
        assert_int_equal(unmap_all(), 0);
        for (u32 i = 0; i < n; i++)
            if (!is_free[taken[i]])
                process_frame_free(&p, taken[i]);
        assert_int_equal(p.n_free, n);
    }
}

static void test_whole_runs_are_cut_last(void **state)
{
    u32 in_first = RUN_FRAMES / 16 - 1 + 1; /* and the one behind */
    assert_int_equal(map(AT(0), in_first * MEDIUM), AT(0));
    assert_true(process_large_alloc(&p) != FRAME_NONE);
    assert_int_equal(map(AT(in_first), MEDIUM), -ENOMEM); /* nor out of a large page */
    process_frame_clean(&p, BEFORE + RUN_FRAMES);
    assert_int_equal(map(AT(in_first), MEDIUM), AT(in_first));
    assert_int_equal(process_large_alloc(&p), FRAME_NONE);
    assert_int_equal(unmap(AT(in_first), MEDIUM), 0);
    assert_true(process_large_alloc(&p) != FRAME_NONE); /* it is whole again */
}

static void test_what_is_promised_is_no_medium_page(void **state)
{
    assert_true(process_call_map(&self, AT(40), 500 * PAGE_SIZE, PROCESS_CALL_MAP_LAZY) > 0);
    while (p.n_free > 15)
        assert_true(process_frame_alloc(&p) != FRAME_NONE);
    assert_int_equal(map(AT(0), MEDIUM), -ENOMEM);
    assert_int_equal(unmap(AT(40), PAGE_SIZE), 0);
    assert_int_equal(map(AT(0), MEDIUM), AT(0));
    for (u64 i = 1; i < 500; i++)
        assert_true(process_touch(&self, AT(40) + i * PAGE_SIZE, SPACE_WRITE));
    assert_true(!p.n_free && !p.promised && process_frame_alloc(&p) == FRAME_NONE);
}

static void test_a_pinned_frame_is_kept_and_the_others_are_not(void **state)
{
    map(AT(0), 2 * MEDIUM);
    u8 *memory = memory_of(AT(0)), *next = memory_of(AT(1));
    u32 first = (u32)((memory - (u8 *)p.memory) / PAGE_SIZE), before = p.n_free;
    memset(memory, 7, MEDIUM);
    irq_enable();
    assert_int_equal(process_pin(&self, AT(0) + 11 * PAGE_SIZE, 5 * PAGE_SIZE + 1, true, &pins), 0);
    assert_int_equal(pins.n, 6);
    for (u32 i = 0; i < 5; i++)
        assert_int_equal(pins.frame[i], first + 11 + i);
    assert_int_equal(pins.frame[5], (next - (u8 *)p.memory) / PAGE_SIZE);
    assert_int_equal(process_call_protect(&self, AT(0), MEDIUM, SPACE_EXEC), -EACCES);
    assert_true(is_one(AT(0), 0xd7));
    assert_int_equal(process_call_protect(&self, AT(0), MEDIUM, 0), 0);
    assert_int_equal(unmap(AT(0), MEDIUM), 0);
    assert_true(p.n_free == before + 11 && is_zero(memory, 11 * PAGE_SIZE) && memory[11 * PAGE_SIZE] == 7);
    process_unpin(&self, &pins);
    assert_true(p.n_free == before + 16 && is_zero(memory, MEDIUM) && is_one(AT(1), 0xd7));
    assert_int_equal(process_call_protect(&self, AT(1), MEDIUM, SPACE_EXEC), 0);
    assert_int_equal(process_pin(&self, AT(1) + PAGE_SIZE, 1, true, &pins), -EFAULT);
}

static void test_the_end_of_the_process_leaves_no_entry_and_no_table(void **state)
{
    u64 size;
    map(AT(0), MOST * MEDIUM);
    space_clear(&p.space, p.memory, p.memory + p.size);
    assert_true(!*space_walk(&p.space, AT(0), &size) && size > SPACE_LARGE);
    memset(area, 0, AREA);
    process_frames_init(&p);
    assert_int_equal(p.n_free, FRAMES - USED);
    assert_int_equal(map(AT(0), (MOST - 1) * MEDIUM), AT(0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_another_thread_does_meanwhile_is_found),
        TEST(test_frames_that_are_not_cleared_yet_become_no_other_page),
        TEST(test_a_frame_that_is_pinned_meanwhile_does_not_become_executable),
        TEST(test_its_memory_is_free_only_when_every_core_has_forgotten_it),
        TEST(test_all_memory_is_zero_and_in_pieces_again),
        TEST(test_it_finds_all_pieces_that_there_are),
        TEST(test_whole_runs_are_cut_last),
        TEST(test_what_is_promised_is_no_medium_page),
        TEST(test_a_pinned_frame_is_kept_and_the_others_are_not),
        TEST(test_the_end_of_the_process_leaves_no_entry_and_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
