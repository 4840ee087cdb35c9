/* SPDX-License-Identifier: MIT */
/* The partition core's promises: who runs when. What follows an event: test_partition_events.c. */
#include "partition_test.h"

static void windows_follow_the_frame(void **state)
{
    boot(true);
    for (unsigned frame = 0; frame < 5; frame++) {
        assert_int_equal(running(), 0);
        pass(2 * MS);
        assert_int_equal(running(), 1);
        pass(MS);
        assert_int_equal(running(), 4); /* the most urgent of the pool */
        pass(3 * MS);
    }
    assert_int_equal(core_times[0].windows, 15);
    assert_int_equal(core_times[0].late_max, 0);
}

static void a_late_edge_is_recorded_and_does_not_add_up(void **state)
{
    boot(true);
    now += 2 * MS + 777;
    partition_alarm(now);
    assert_int_equal(running(), 1);
    assert_int_equal(core_times[0].late_max, 777);
    pass(MS - 777);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 0);
}

/* The host took the core away for longer than a window, and who owns that one sleeps without a timer. */
static void an_edge_that_comes_after_the_next_one_was_due_is_followed_at_once(void **state)
{
    boot(true);
    pass(2 * MS);
    sleeps(1);
    pass(4 * MS);
    assert_int_equal(running(), 0);
    now += 3 * MS + 50;
    partition_alarm(now);
    assert_true(time_after_eq(now, core.window_due));
    partition_alarm(now);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 50);
}

/* Nobody follows a second's windows one by one: the next one begins now. */
static void who_was_away_for_long_goes_on_from_now(void **state)
{
    boot(true);
    pass(MS);
    now += MS + 0x10000000 + 1;
    partition_alarm(now);
    assert_int_equal(running(), 1);
    assert_int_equal(core.window_due - now, MS);
    pass(MS);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 0);
}

static void an_idle_owner_keeps_its_window_and_wakes_in_it(void **state)
{
    boot(true);
    alarm_of[0] = now + MS;
    sleeps(0);
    assert_int_equal(running(), -1); /* nobody else gets it */
    pass(MS / 2);
    assert_int_equal(running(), -1);
    pass(MS - MS / 2);
    assert_int_equal(running(), 0);
}

static void who_yields_its_window_is_done_for_it(void **state)
{
    boot(true);
    alarm_of[0] = now + MS / 2;
    partition_yield(vm_of(0));
    pass(2 * MS - 1);
    assert_int_equal(running(), -1);
    pass(1);
    assert_int_equal(running(), 1);
    pass(4 * MS);
    assert_int_equal(running(), 0);
}

static void yielding_in_the_pool_goes_to_others_and_idling_frees_the_rest(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    partition_yield(vm_of(4)); /* to the less urgent, too */
    assert_int_equal(running(), 2);
    sleeps(2);
    assert_int_equal(running(), 4);
    sleeps(4);
    assert_int_equal(running(), 3);
    partition_yield(vm_of(3)); /* nobody else */
    assert_int_equal(running(), 3);
}

static void equals_take_turns(void **state)
{
    boot(true);
    pass(3 * MS);
    sleeps(4);
    assert_int_equal(running(), 2);
    pass(6 * MS);
    assert_int_equal(running(), 3);
    pass(6 * MS);
    assert_int_equal(running(), 2);
}

static void the_urgent_one_wakes_by_its_timer_or_a_knock(void **state)
{
    boot(true);
    pass(3 * MS);
    alarm_of[4] = now + 3 * MS / 2;
    sleeps(4);
    assert_int_equal(running(), 2);
    pass(3 * MS / 2 + MS); /* a tick late at most */
    assert_int_equal(running(), 4);
    assert_int_equal(vm_of(4)->pending, VMP_PIT); /* or it would sleep again at once */
    sleeps(4);
    partition_knock(vm_of(4));
    pass(MS / 2 + 3 * MS);
    assert_int_equal(vm_of(4)->state, VM_IDLE); /* nobody looks outside of the pool's windows */
    pass(MS + 1000);                            /* an alarm each: it is woken, chosen, attended to */
    assert_int_equal(running(), 4);
}

static void a_knock_rings_where_the_vm_ran_last(void **state)
{
    boot(true);
    vm_of(3)->core = 5;
    rung = 0;
    partition_knock(vm_of(3));
    assert_int_equal(vm_of(3)->part.knock, 1);
    assert_int_equal(rung, 5 + 1);
}

/* It sleeps in the pool, and would sleep on when it has been woken. */
static void an_order_reaches_who_sleeps_in_the_pool(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    sleeps(4);
    order(4, 0);
    partition_knock(vm_of(4));
    for (unsigned n = 0; n < 20 && vm_of(4)->state != VM_STOPPED; n++) {
        now = core.window_due;
        partition_alarm(now);
        if (running() == 4) /* as vm_exit does at once with who has nothing to do */
            sleeps(4);
    }
    assert_int_equal(vm_of(4)->state, VM_STOPPED);
}

static void an_alarm_wakes_one_of_many(void **state)
{
    boot(true);
    pass(3 * MS);
    for (u32 n = 0; n < 3; n++)
        sleeps(core.current->id);
    assert_int_equal(running(), -1);
    for (u32 id = 2; id < 5; id++)
        partition_knock(vm_of(id));
    for (int left = 2; left >= 0; left--) {
        now = core.window_due;
        partition_alarm(now);
        assert_int_equal(__builtin_popcount(shared.ready.map[ASLEEP]), left);
        assert_int_equal(core.window_due, now); /* at once the next */
    }
    pass(300);
    assert_int_equal(running(), 4);
}

static void who_knocks_again_and_again_keeps_nobody_from_running(void **state)
{
    boot(true);
    pass(3 * MS);
    noisy = true;
    sleeps(4);
    partition_knock(vm_of(4));
    pass(MS + 1000);
    assert_int_equal(running(), 4);
}

/* No decision in the interrupt in which it ends: that would be one more turn at the lock. */
static void who_ends_is_parked_and_the_alarm_decides(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    vm_stop(vm_of(4));
    assert_int_equal(running(), -1);
    assert_int_equal(core.window_due, now);
    pass(0);
    assert_int_equal(running(), 2);
    assert_int_equal(vm_of(4)->state, VM_STOPPED);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(windows_follow_the_frame),
        T(a_late_edge_is_recorded_and_does_not_add_up),
        T(an_edge_that_comes_after_the_next_one_was_due_is_followed_at_once),
        T(who_was_away_for_long_goes_on_from_now),
        T(an_idle_owner_keeps_its_window_and_wakes_in_it),
        T(who_yields_its_window_is_done_for_it),
        T(yielding_in_the_pool_goes_to_others_and_idling_frees_the_rest),
        T(equals_take_turns),
        T(the_urgent_one_wakes_by_its_timer_or_a_knock),
        T(a_knock_rings_where_the_vm_ran_last),
        T(an_order_reaches_who_sleeps_in_the_pool),
        T(an_alarm_wakes_one_of_many),
        T(who_knocks_again_and_again_keeps_nobody_from_running),
        T(who_ends_is_parked_and_the_alarm_decides),
    };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
