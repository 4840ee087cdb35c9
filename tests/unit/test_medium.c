/* SPDX-License-Identifier: MIT */
/* Pages of 64 KiB of a process: what the processor finds in its tables, what is refused, and where the kernel puts
 * them. */
#include "medium_test.h"

static void test_the_processor_finds_one_page_of_64_kib_in_the_processs_memory(void **state)
{
    assert_int_equal(map(AT(1), 2 * MEDIUM), AT(1));
    for (unsigned i = 1; i < 3; i++) {
        assert_true(is_one(AT(i), 0xd7)); /* there, to read, to write, the user's, accessed, dirty; nothing reserved */
        assert_int_equal(found(AT(i)) >> 54, 1ul << 9);
        assert_true(memory_of(AT(i)) >= (u8 *)p.memory && memory_of(AT(i)) + MEDIUM <= (u8 *)p.memory + p.size);
    }
    assert_true(memory_of(AT(1)) != memory_of(AT(2)) && !found(AT(0) + 15 * PAGE_SIZE) && !found(AT(3)));
}

static void test_rights_change_for_all_of_it_and_are_never_both(void **state)
{
    static const unsigned bits[] = { [0] = 0x53, [SPACE_WRITE] = 0xd7, [SPACE_EXEC] = 0x5b };
    map(AT(0), 2 * MEDIUM);
    for (unsigned rights = 0; rights < 3; rights++) {
        assert_int_equal(process_call_protect(&self, AT(0), MEDIUM, rights), 0);
        assert_true(is_one(AT(0), bits[rights]) && is_one(AT(1), 0xd7));
        assert_int_equal(process_touch(&self, AT(0) + MEDIUM / 2, SPACE_WRITE), rights == SPACE_WRITE);
        assert_int_equal(process_touch(&self, AT(0) + MEDIUM / 2, SPACE_EXEC), rights == SPACE_EXEC);
    }
}

static void test_without_svnapot_there_are_none(void **state)
{
    machine.svnapot = false;
    assert_int_equal(map(AT(0), MEDIUM), -EOPNOTSUPP);
    assert_int_equal(map(0, MEDIUM), -EOPNOTSUPP);
    assert_true(!found(AT(0)) && p.n_free == FREE);
}

static void test_what_is_not_aligned_or_not_there_is_refused(void **state)
{
    u32 before = p.n_free;
    assert_int_equal(map(AT(0) + PAGE_SIZE, MEDIUM), -EINVAL);
    assert_int_equal(map(AT(0) + MEDIUM / 2, MEDIUM), -EINVAL);
    assert_int_equal(map(AT(0), MEDIUM + PAGE_SIZE), -EINVAL);
    assert_int_equal(map(0, PAGE_SIZE), -EINVAL);
    assert_int_equal(map(AT(0), 0), -EINVAL);
    assert_int_equal(map(USER_BASE - MEDIUM, MEDIUM), -EFAULT);
    assert_int_equal(map(PROCESS_PARTS, MEDIUM), -EFAULT);
    assert_int_equal(map(PROCESS_PARTS - MEDIUM, 2 * MEDIUM), -EFAULT);
    assert_int_equal(map(AT(0), -MEDIUM), -EFAULT);
    assert_int_equal(map(AT(0), (MOST + 1) * MEDIUM), -ENOMEM); /* more than there is */
    assert_int_equal(map_small(AT(MOST), 10 * PAGE_SIZE), AT(MOST));
    assert_true(p.n_free >= MOST * 16);
    assert_int_equal(map(AT(0), MOST * MEDIUM), -ENOMEM); /* the last one is not in one piece: all go back */
    assert_true(p.n_free == before - 10 && !found(AT(0)));
    assert_int_equal(unmap(AT(MOST), MEDIUM), 0);
    assert_int_equal(map(AT(0), MOST * MEDIUM), AT(0));
    assert_int_equal(map(AT(MOST), MEDIUM), -ENOMEM);
    assert_true(map_small(AT(MOST), 4 * PAGE_SIZE) > 0); /* single frames are left */
}

static void test_a_place_that_is_taken_is_refused(void **state)
{
    u32 before = p.n_free;
    for (u64 i = 0; i < 16; i++) {
        assert_true(process_call_map(&self, AT(1) + i * PAGE_SIZE, PAGE_SIZE, i % 4) > 0);
        assert_int_equal(map(AT(0), 2 * MEDIUM), -EEXIST);
        assert_int_equal(unmap_all(), 0);
        assert_true(p.n_free == before && !found(AT(0))); /* what was mapped before it is gone again */
    }
    assert_int_equal(map(AT(0), MEDIUM), AT(0)); /* where small ones were */
    before = p.n_free;
    s64 number = process_call_frame_alloc(&self);
    for (u64 at = AT(0); at < AT(1); at += PAGE_SIZE) {
        assert_int_equal(process_call_map(&self, at, PAGE_SIZE, at / PAGE_SIZE % 4), -EEXIST);
        assert_int_equal(process_call_frame_map(&self, at, (u32)number, 0), -EEXIST);
        assert_int_equal(process_call_frame_of(&self, at), -EACCES);
    }
    assert_int_equal(map(AT(0), MEDIUM), -EEXIST);
    assert_int_equal(process_call_map(&self, AT(0), SPACE_LARGE, PROCESS_CALL_MAP_LARGE), -EEXIST);
    assert_true(is_one(AT(0), 0xd7) && p.n_free == before - 1);
}

static void test_beside_a_large_page_and_not_in_it(void **state)
{
    u64 large = USER_BASE + 2 * GIB;
    assert_int_equal(process_call_map(&self, large, SPACE_LARGE, PROCESS_CALL_MAP_LARGE), large);
    u32 before = p.n_free;
    assert_int_equal(map(large + MEDIUM, MEDIUM), -EEXIST);
    assert_int_equal(map(large - MEDIUM, 2 * MEDIUM), -EEXIST);
    assert_true(p.n_free <= before && !found(large - MEDIUM)); /* a table may have been made */
    assert_int_equal(map(large - MEDIUM, MEDIUM), large - MEDIUM);
    assert_int_equal(unmap(large - MEDIUM, SPACE_LARGE + MEDIUM), 0);
    assert_true(!found(large - MEDIUM) && !found(large));
}

static void test_its_frames_have_no_number(void **state)
{
    map(AT(0), MEDIUM);
    u32 first = (u32)((memory_of(AT(0)) - (u8 *)p.memory) / PAGE_SIZE);
    for (u32 i = 0; i < 16; i++) {
        assert_int_equal(process_call_frame_free(&self, first + i), -ENOENT);
        assert_int_equal(process_call_frame_map(&self, AT(9), first + i, 0), -ENOENT);
    }
}

static void test_no_call_cuts_one(void **state)
{
    map(AT(1), 2 * MEDIUM);
    map_small(AT(0), PAGE_SIZE);
    memset(memory_of(AT(1)), 7, MEDIUM);
    u64 cuts[][2] = {
        { AT(1), PAGE_SIZE },           { AT(1) + PAGE_SIZE, MEDIUM - PAGE_SIZE }, { AT(0), MEDIUM + PAGE_SIZE },
        { AT(1) + MEDIUM / 2, MEDIUM }, { AT(2) - PAGE_SIZE, 8 * MEDIUM },         { AT(0), 2 * MEDIUM + MEDIUM / 2 }
    };
    for (unsigned i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        assert_int_equal(unmap(cuts[i][0], cuts[i][1]), -EINVAL);
        s64 err = process_call_protect(&self, cuts[i][0], cuts[i][1], 0);
        assert_true(err == -EINVAL || (err == -EFAULT && cuts[i][0] == AT(0))); /* where no page is it is found first */
        assert_true(is_one(AT(1), 0xd7) && is_one(AT(2), 0xd7));
        assert_true(process_touch(&self, AT(0), SPACE_WRITE) && memory_of(AT(1))[MEDIUM - 1] == 7);
    }
    assert_int_equal(unmap(AT(0), 2 * MEDIUM), 0);
    assert_true(!found(AT(0)) && !found(AT(1)) && !found(AT(2) - PAGE_SIZE) && is_one(AT(2), 0xd7));
}

static void test_the_kernel_chooses_a_place_without_neighbours(void **state)
{
    u64 low = USER_BASE + 4 * MEDIUM;
    assert_int_equal(map_small(low + 5 * PAGE_SIZE, PAGE_SIZE), low + 5 * PAGE_SIZE);
    s64 one = map(0, MEDIUM), two = map(0, 2 * MEDIUM), small = map_small(0, PAGE_SIZE), three = map(0, MEDIUM);
    u64 at[] = { (u64)one, (u64)two, (u64)three }, n[] = { MEDIUM, 2 * MEDIUM, MEDIUM };
    assert_true(small > 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_true((s64)at[i] > 0 && at[i] % MEDIUM == 0 && is_one(at[i], 0xd7));
        assert_true(!found(at[i] - PAGE_SIZE) && !found(at[i] + n[i]));
    }
    assert_true(at[0] < low); /* tables of small pages are there already, and no obstacle */
    assert_int_equal(unmap(at[1], 2 * MEDIUM), 0);
    assert_int_equal(map(0, 2 * MEDIUM), two);
    assert_int_equal(map(0, PROCESS_PARTS - USER_BASE), -ENOMEM);
}

static void test_a_thread_that_has_to_end_maps_no_more(void **state)
{
    thread.stop = true;
    assert_int_equal(map(AT(0), 2 * MEDIUM), AT(0)); /* nobody reads that any more */
    assert_false(found(AT(0)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_processor_finds_one_page_of_64_kib_in_the_processs_memory),
        TEST(test_rights_change_for_all_of_it_and_are_never_both),
        TEST(test_without_svnapot_there_are_none),
        TEST(test_what_is_not_aligned_or_not_there_is_refused),
        TEST(test_a_place_that_is_taken_is_refused),
        TEST(test_beside_a_large_page_and_not_in_it),
        TEST(test_its_frames_have_no_number),
        TEST(test_no_call_cuts_one),
        TEST(test_the_kernel_chooses_a_place_without_neighbours),
        TEST(test_a_thread_that_has_to_end_maps_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
