/* SPDX-License-Identifier: MIT */
/*
 * Handles that go from process to process, and memory that they show: what each call answers, what each process then
 * reaches, and that all memory comes back. First one by one, then random operations against a reference (STEPS: how
 * many).
 */
#include "handle_shared.h"

/* One by one */

static void test_memory_is_shown_with_the_rights_that_were_sent_and_no_more(void **state)
{
    u32 got = shared(3, 2, HANDLE_READ);
    s64 at = do_map(1, got);
    assert_true(shows(1, (u64)at, 0, 3, false) && shows(1, (u64)at + PAGE_SIZE, 0, 4, false));
    assert_int_equal(*entry_of(1, (u64)at + 2 * PAGE_SIZE), 0);
    assert_int_equal(do_info(1, got, HANDLE_CALL_HANDLE_INFO_RIGHTS), HANDLE_READ);
    assert_int_equal(do_info(1, got, HANDLE_CALL_HANDLE_INFO_SIZE), 2 * PAGE_SIZE);
    assert_int_equal(do_send(1, CHANNEL(1, 2), got, HANDLE_READ), -EPERM); /* without the right to send it */
    got = shared(5, 1, RW | HANDLE_SEND);
    at = do_map(1, got);
    assert_true(shows(1, (u64)at, 0, 5, true));
    assert_int_equal(do_send(1, CHANNEL(1, 2), got, RW | HANDLE_OWN), -EPERM);
    assert_int_equal(do_send(1, CHANNEL(1, 2), got, HANDLE_WRITE), 0);
    assert_int_equal(do_map(2, (u32)do_receive(2, CHANNEL(2, 1))), -EACCES); /* nobody writes what he may not read */
}

static void test_who_may_not_write_shares_to_read_only(void **state)
{
    assert_int_equal(process_call_protect(&thread[0], PAGE_AT(1), PAGE_SIZE, 0), 0);
    assert_int_equal(do_memory(0, PAGE_AT(0), 2 * PAGE_SIZE, 1), -EFAULT);
    s64 h = do_memory(0, PAGE_AT(0), 2 * PAGE_SIZE, 0);
    assert_int_equal(do_info(0, (u32)h, HANDLE_CALL_HANDLE_INFO_RIGHTS), HANDLE_READ | HANDLE_SEND | HANDLE_OWN);
    assert_int_equal(do_send(0, CHANNEL(0, 1), (u32)h, RW), -EPERM);
}

static void test_wrong_ranges_are_refused(void **state)
{
    const u64 at[] = { PAGE_AT(0) + 1, PAGE_AT(0), PAGE_AT(0), PAGE_AT(OWN), 0, VIEWS_AT, PAGE_AT(OWN - 1) };
    const u32 n[] = { PAGE_SIZE, 0, 7, PAGE_SIZE, PAGE_SIZE, PAGE_SIZE, 2 * PAGE_SIZE };
    const int err[] = { -EINVAL, -EINVAL, -EINVAL, -EFAULT, -EFAULT, -EFAULT, -EFAULT };
    for (unsigned i = 0; i < ARRAY_SIZE(at); i++)
        assert_int_equal(do_memory(0, at[i], n[i], 1), err[i]);
    for (unsigned i = 0; i < RANGES; i++) /* none of these took a place */
        assert_int_equal(do_memory(0, PAGE_AT(0), PAGE_SIZE, 1), 2 + i);
    assert_int_equal(do_memory(0, PAGE_AT(0), PAGE_SIZE, 1), -ENOMEM);
}

static void test_shared_pages_keep_their_memory_until_the_owner_closes_it(void **state)
{
    u32 before = process[0].n_free;
    u32 got = shared(2, 4, RW);
    space_entry_t was = own[0][2];
    s64 at = do_map(1, got);
    assert_int_equal(process_call_unmap(&thread[0], PAGE_AT(2), 4 * PAGE_SIZE), 0);
    assert_int_equal(process[0].n_free, before);
    assert_int_equal(space_frame(*entry_of(1, (u64)at)), space_frame(was));
    memory[0][space_frame(was) - process[0].memory] = 7;
    assert_int_equal(do_close(0, 2), 0);
    assert_int_equal(process[0].n_free, before + 4);
    assert_int_equal(memory[0][space_frame(was) - process[0].memory], 0); /* for whoever is next */
    nothing_is_shown(1);
    assert_int_equal(do_map(1, got), -ESTALE);
    assert_int_equal(do_info(1, got, HANDLE_CALL_HANDLE_INFO_VALID), 0);
}

static void test_shared_pages_do_not_become_executable(void **state)
{
    shared(2, 1, RW);
    assert_int_equal(process_call_protect(&thread[0], PAGE_AT(2), PAGE_SIZE, PROCESS_CALL_PROTECT_EXEC), -EACCES);
    do_close(0, 2);
    assert_int_equal(process_call_protect(&thread[0], PAGE_AT(2), PAGE_SIZE, PROCESS_CALL_PROTECT_EXEC), 0);
}

static void test_a_handle_that_is_closed_shows_nothing_and_others_stay(void **state)
{
    u32 got = shared(2, 4, RW | HANDLE_SEND);
    assert_int_equal(do_send(1, CHANNEL(1, 2), got, HANDLE_READ), 0);
    u32 third = (u32)do_receive(2, CHANNEL(2, 1));
    u64 at = (u64)do_map(2, third);
    do_map(1, got);
    assert_int_equal(do_map(1, got), -EEXIST);
    assert_int_equal(do_close(1, got), 0);
    nothing_is_shown(1);
    assert_true(shows(2, at, 0, 2, false) && shows(2, at + 3 * PAGE_SIZE, 0, 5, false));
    assert_int_equal(do_map(1, got), -EBADF);
}

static void test_places_are_used_up_and_free_again(void **state)
{
    u32 got[VIEWS + 1];
    for (unsigned i = 0; i <= VIEWS; i++) {
        assert_int_equal(do_memory(0, PAGE_AT(i), PAGE_SIZE, 1), 2);
        assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), 0);
        got[i] = (u32)do_receive(1, CHANNEL(1, 0));
        s64 at = do_map(1, got[i]);
        assert_int_equal(at, i < VIEWS ? (s64)(VIEWS_AT + i * MIB) : -ENOMEM);
        do_close(0, 2); /* withdrawn, its place is not another one's before it is closed */
    }
    do_close(1, got[3]);
    assert_int_equal(do_memory(0, PAGE_AT(0), PAGE_SIZE, 1), 2);
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), 0);
    assert_int_equal(do_map(1, (u32)do_receive(1, CHANNEL(1, 0))), VIEWS_AT + 3 * MIB);
}

static void test_a_channel_takes_eight_handles_and_gives_them_in_order(void **state)
{
    u32 c = CHANNEL(0, 1);
    for (unsigned i = 0; i < RANGES; i++)
        assert_int_equal(do_memory(0, PAGE_AT(0), (i + 1) * PAGE_SIZE, 1), 2 + i);
    for (unsigned round = 0; round < 3; round++) {
        assert_int_equal(do_receive(1, CHANNEL(1, 0)), -EAGAIN);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(do_send(0, c, 2 + i, RW), 0);
        assert_int_equal(do_send(0, c, 2, RW), -EAGAIN);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(do_info(1, (u32)do_receive(1, CHANNEL(1, 0)), HANDLE_CALL_HANDLE_INFO_SIZE),
                             (i + 1) * PAGE_SIZE);
    }
    for (unsigned i = 0; i < 8; i++) /* 24 of 30 places are taken */
        assert_int_equal(do_send(0, c, 2 + i, RW), 0);
    for (unsigned i = 0; i < 6; i++)
        assert_true(do_receive(1, CHANNEL(1, 0)) > 0);
    assert_int_equal(do_receive(1, CHANNEL(1, 0)), -ENOSPC);
    do_close(1, 9);
    assert_int_equal(do_receive(1, CHANNEL(1, 0)), 9);
    assert_int_equal(do_info(1, 9, HANDLE_CALL_HANDLE_INFO_SIZE), 7 * PAGE_SIZE); /* the next one stayed */
}

static void test_what_was_sent_to_a_life_is_not_received_by_another(void **state)
{
    do_memory(0, PAGE_AT(0), PAGE_SIZE, 1);
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), 0);
    run_end(1);
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), -EPIPE);
    run_begin(1);
    assert_int_equal(do_receive(1, CHANNEL(1, 0)), -EAGAIN);
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), 0); /* the owner still has it */
    run_end(0);                                            /* nor is what the sender's end leaves behind */
    assert_int_equal(do_receive(1, CHANNEL(1, 0)), -EAGAIN);
    run_begin(0);
}

static void test_a_withdrawn_channel_carries_no_handles(void **state)
{
    do_memory(0, PAGE_AT(0), PAGE_SIZE, 1);
    process[0].tunnels = 0;
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), -EACCES);
    assert_int_equal(do_receive(0, CHANNEL(0, 1)), -EACCES);
    process[0].tunnels = 7;
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), 0);
    assert_int_equal(do_send(0, 2, 2, RW), -EINVAL);
    assert_int_equal(do_send(0, 9, 2, RW), -EBADF);
    assert_int_equal(do_send(0, CHANNEL(0, 1), 9, RW), -EBADF);
    assert_int_equal(do_send(0, CHANNEL(0, 1), CHANNEL(0, 2), 0), -EPERM); /* an end is its process's */
    do_close(0, CHANNEL(0, 1));
    assert_int_equal(do_send(0, CHANNEL(0, 1), 2, RW), -EBADF);
}

static void test_the_owners_end_takes_its_memory_from_all(void **state)
{
    u32 got = shared(0, 20, RW);
    do_map(1, got);
    run_end(0);
    nothing_is_shown(1);
    run_begin(0);
    assert_int_equal(process[0].n_free, FRAMES);
    assert_int_equal(do_map(1, got), -ESTALE);
    assert_int_equal(do_close(1, got), 0);
}

static void test_the_holders_end_leaves_nothing_to_its_next_life(void **state)
{
    do_map(1, shared(0, 20, RW));
    run_end(1);
    nothing_is_shown(1);
    run_begin(1);
    assert_int_equal(do_map(1, 2), -EBADF);
    assert_int_equal(do_close(0, 2), 0);
}

/* What a component, a device's class, sees of a range. */

static void test_a_component_gets_addresses_in_one_piece_or_none(void **state)
{
    struct handle_object *o;
    assert_int_equal(process_call_unmap(&thread[0], USER_BASE, OWN * PAGE_SIZE), 0);
    process_call_map(&thread[0], PAGE_AT(0), 2 * PAGE_SIZE, PROCESS_CALL_MAP_WRITE);
    process_call_map(&thread[0], PAGE_AT(3), PAGE_SIZE, PROCESS_CALL_MAP_WRITE);
    process_call_map(&thread[0], PAGE_AT(2), PAGE_SIZE, PROCESS_CALL_MAP_WRITE);
    assert_int_equal(do_memory(0, PAGE_AT(0), 4 * PAGE_SIZE, 1), 2);
    host_irq_on = false;
    assert_int_equal(handle_take(&process[0], 2, HANDLE_MEMORY, RW, &o), 0);
    for (u32 from = 0; from < 4 * PAGE_SIZE; from += 512)
        for (u32 n = 256; n <= 4 * PAGE_SIZE; n += 256) {
            bool piece = from + n <= 4 * PAGE_SIZE;
            for (u32 page = from / PAGE_SIZE; piece && page < (from + n - 1) / PAGE_SIZE; page++)
                piece = space_frame(own[0][page]) + PAGE_SIZE == space_frame(own[0][page + 1]);
            paddr_t expected = space_frame(own[0][from / PAGE_SIZE]) + from % PAGE_SIZE;
            assert_true(handle_memory_at(o, from, n) == (piece ? expected : (paddr_t)-1));
        }
    assert_true(handle_memory_at(o, 0, 0) == (paddr_t)-1);
    assert_true(handle_memory_at(o, 1, ~0u) == (paddr_t)-1);
    assert_true(handle_memory_at(o, ~0u, 2) == (paddr_t)-1);
    handle_put(o);
    host_irq_on = true;
}

static void test_what_a_component_holds_is_not_used_again_before_it_lets_go(void **state)
{
    struct handle_object *o;
    u32 before = process[0].n_free;
    assert_int_equal(do_memory(0, PAGE_AT(0), 4 * PAGE_SIZE, 1), 2);
    host_irq_on = false;
    assert_int_equal(handle_take(&process[0], 2, HANDLE_MEMORY, RW, &o), 0);
    handle_memory_hold(o);
    handle_memory_hold(o);
    handle_put(o);
    host_irq_on = true;
    process_call_unmap(&thread[0], PAGE_AT(0), 4 * PAGE_SIZE);
    assert_int_equal(do_close(0, 2), 0);
    handle_memory_release(o, &thread[0]);
    assert_int_equal(process[0].n_free, before);
    handle_memory_release(o, &thread[0]);
    assert_int_equal(process[0].n_free, before + 4);
    assert_int_equal(do_memory(0, PAGE_AT(4), PAGE_SIZE, 1), 2); /* and one that nobody holds */
    assert_int_equal(do_close(0, 2), 0);
}

static void test_a_range_whose_generations_are_spent_is_not_used_again(void **state)
{
    struct range *r = memory_of(0)->range;
    r->object.generation = HANDLE_SPENT - 1;
    u32 got = shared(0, 1, RW);
    do_map(1, got);
    assert_int_equal(do_close(0, 2), 0);
    nothing_is_shown(1);
    one_place_is_spent();
    assert_int_equal(do_map(1, got), -ESTALE);
    r->object.generation = 0;
}

/* In the middle of a call another core does something. */

static u32 handle_there;
static void owner_closes(void) { do_close(0, 2); }
static void holder_closes(void) { do_close(1, handle_there); }
static void owner_ends(void) { run_end(0); }
static void holder_ends(void) { run_end(1); }
static void holder_maps(void) { do_map(1, handle_there); }

/* `first` is interrupted by `then` at each of its moments, until there are no more of them. */
static unsigned each_moment(void (*first)(void), void (*then)(void), void (*check)(void))
{
    unsigned n = 0;
    do {
        end(NULL);
        begin(NULL);
        handle_there = shared(0, 24, RW);
        if (first != holder_maps && then != holder_maps)
            holder_maps();
        at(++n, then);
        first();
        check();
    } while (!host_elsewhere && n < 100);
    host_elsewhere = NULL;
    return n;
}

static void check_gone(void)
{
    if (host_elsewhere) /* it was not interrupted */
        return;
    nothing_is_shown(1);
    bool given = false;
    for (struct view *v = memory_of(1)->view; v < memory_of(1)->view + VIEWS; v++)
        given |= v->object && v->closing;
    assert_false(given);
}

static void test_whatever_comes_between_no_page_of_withdrawn_memory_is_shown(void **state)
{
    assert_in_range(each_moment(holder_maps, owner_closes, check_gone), 3, 99);
    assert_in_range(each_moment(holder_maps, holder_closes, check_gone), 3, 99);
    assert_in_range(each_moment(holder_maps, owner_ends, check_gone), 3, 99);
    run_begin(0);
    assert_in_range(each_moment(owner_closes, holder_closes, check_gone), 3, 99);
    assert_in_range(each_moment(owner_closes, holder_ends, check_gone), 3, 99);
    run_begin(1);
    assert_in_range(each_moment(holder_closes, owner_closes, check_gone), 3, 99);
    assert_in_range(each_moment(holder_closes, owner_ends, check_gone), 3, 99);
    run_begin(0);
    assert_in_range(each_moment(owner_ends, holder_closes, check_gone), 3, 99);
    run_begin(0);
    assert_in_range(each_moment(owner_closes, holder_maps, check_gone), 3, 99);
}

#include "handle_random.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_memory_is_shown_with_the_rights_that_were_sent_and_no_more),
        TEST(test_who_may_not_write_shares_to_read_only),
        TEST(test_wrong_ranges_are_refused),
        TEST(test_shared_pages_keep_their_memory_until_the_owner_closes_it),
        TEST(test_shared_pages_do_not_become_executable),
        TEST(test_a_handle_that_is_closed_shows_nothing_and_others_stay),
        TEST(test_places_are_used_up_and_free_again),
        TEST(test_a_channel_takes_eight_handles_and_gives_them_in_order),
        TEST(test_what_was_sent_to_a_life_is_not_received_by_another),
        TEST(test_a_withdrawn_channel_carries_no_handles),
        TEST(test_the_owners_end_takes_its_memory_from_all),
        TEST(test_the_holders_end_leaves_nothing_to_its_next_life),
        TEST(test_a_component_gets_addresses_in_one_piece_or_none),
        TEST(test_what_a_component_holds_is_not_used_again_before_it_lets_go),
        TEST(test_a_range_whose_generations_are_spent_is_not_used_again),
        TEST(test_whatever_comes_between_no_page_of_withdrawn_memory_is_shown),
        TEST(test_random_operations_answer_as_the_reference_does),
    };
    processes_make();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
