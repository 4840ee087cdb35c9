/* SPDX-License-Identifier: MIT */
/* Turns of equal threads that are cut short, by more urgent threads and by the edges of windows: they count. */
#include "threads.h"
#include <core/domain.h>

#define MS     1000000u
#define TURN   (10 * MS)
#define URGENT 20 /* priority of who comes again and again */

static ticks_t used[3], period[4], works, end;

static int fresh(void **state)
{
    memset(used, 0, sizeof(used));
    end = 20 * TURN;
    setup(state);
    host_now = 0; /* so that turns begin and end with periods */
    return 0;
}

static void compute(void *arg)
{
    while (host_now < end) {
        host_spend(1000);
        *(ticks_t *)arg += 1000;
    }
}

/* As a driver of a card: it sleeps until the next frame. */
static void come_again(void *unused)
{
    (void)unused;
    ticks_t next = 0;
    for (unsigned i = 0; host_now < end; i++) {
        next += period[i % 4];
        thread_block(next);
        host_spend(works);
    }
}

static void spawn_equals(unsigned equals)
{
    for (unsigned i = 0; i < equals; i++)
        spawn("equal", 0, 8, compute, &used[i]);
}

static void beside(ticks_t every, ticks_t takes, unsigned equals)
{
    for (unsigned i = 0; i < 4; i++)
        period[i] = every;
    works = takes;
    spawn("urgent", 0, URGENT, come_again, NULL);
    host_settle();
    spawn_equals(equals);
    host_settle();
}

static void assert_as_much(unsigned a, unsigned b, ticks_t apart)
{
    assert_in_range(used[a] + apart, used[b], used[b] + 2 * apart);
}

/* Five hundred times a turn, a hundred times, and so on to just more often than once. */
static void a_storm_of_wake_ups_keeps_no_equal_from_the_core(void **state)
{
    static const ticks_t often[] = { 20000, 100000, 300000, 5 * MS, 9990000, 9999000 };
    for (unsigned i = 0; i < ARRAY_SIZE(often); i++) {
        fresh(state);
        beside(often[i], often[i] / 4, 2);
        assert_true(used[0] + used[1] > end / 2);
        assert_as_much(0, 1, 2 * TURN);
    }
}

static void three_equals_have_a_third_each(void **state)
{
    end = 100 * TURN;
    beside(50000, 10000, 3);
    assert_as_much(0, 1, 2 * TURN);
    assert_as_much(0, 2, 2 * TURN);
}

/* The first of two equals is interrupted after 9 ms, the second one after 5: a whole turn for 18 ms would be unfair. */
static void what_is_more_than_a_turn_counts_for_the_next_one(void **state)
{
    end = 100 * TURN;
    spawn("urgent", 0, URGENT, come_again, NULL);
    spawn_equals(2);
    works = 0;
    period[0] = period[1] = 9 * MS;
    period[2] = period[3] = 5 * MS;
    host_settle();
    assert_as_much(0, 1, 2 * TURN);
}

/* As often as two turns and a half end: the same one must not be in its third each time. */
static void whole_turns_and_parts_of_turns_are_shared(void **state)
{
    end = 100 * TURN;
    beside(25 * MS, 0, 2);
    assert_as_much(0, 1, 2 * TURN);
}

/* Its place is kept until a turn is over. */
static void say_thrice_while_interrupted(void *arg)
{
    for (int i = 0; i < 3; i++) {
        say(*(char *)arg);
        host_spend(1 * MS);
    }
}

static void what_interrupts_once_does_not_rotate_equals(void **state)
{
    spawn("a", 0, 8, say_thrice_while_interrupted, "a");
    spawn("b", 0, 8, say_thrice_while_interrupted, "b");
    for (unsigned i = 0; i < 4; i++)
        period[i] = 1500000;
    works = 0;
    spawn("urgent", 0, URGENT, come_again, NULL);
    host_run(6 * MS);
    assert_string_equal(order, "aaabbb");
}

static struct domain windowed;

static void equal_of_the_window(unsigned i, unsigned prio, void (*fn)(void *))
{
    thread_start(thread_create("equal", 0, prio, fn, &used[i], &windowed, false));
}

static void in_windows(ticks_t length, ticks_t frame)
{
    struct window w = { 0, length, 1 };
    sched_group_init(&cpus[0]->sched, 1);
    cpus[0]->sched.group_of[0] = 1;
    sched_set_frame(cpus[0], &w, 1, frame, 2000);
    alarm_refresh(cpus[0]);
}

/* Windows longer than a turn, shorter, of two turns and a half, and with both ends at one moment. */
static void equals_have_as_much_of_windows(void **state)
{
    static const ticks_t lengths[] = { 15 * MS, 3 * MS, 25 * MS, 100000, TURN };
    for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
        fresh(state);
        end = 100 * TURN;
        in_windows(lengths[i], lengths[i] + 1 * MS);
        equal_of_the_window(0, 8, compute);
        equal_of_the_window(1, 8, compute);
        host_run(end);
        assert_true(used[0] > TURN && used[1] > TURN);
        assert_as_much(0, 1, 2 * TURN);
    }
}

/* Every second window is all of it a more urgent thread's. */
static void take_every_second_window(void *arg)
{
    for (ticks_t next = 4000 + 4 * MS; host_now < end; next += 8 * MS) {
        thread_block(next);
        while (host_now < next + 3 * MS - 10000)
            host_spend(1000);
    }
}

static void a_window_that_others_take_keeps_no_equal_from_the_core(void **state)
{
    in_windows(3 * MS, 4 * MS);
    equal_of_the_window(2, 9, take_every_second_window);
    equal_of_the_window(0, 8, compute);
    equal_of_the_window(1, 8, compute);
    host_run(end);
    assert_true(used[0] > TURN && used[1] > TURN);
    assert_as_much(0, 1, 2 * TURN);
}

static void turns_that_end_by_themselves_cost_an_alarm_each(void **state)
{
    host_alarms_set = 0;
    spawn_equals(2);
    host_settle();
    assert_in_range(host_alarms_set, 19, 22);
    assert_as_much(0, 1, TURN);
}

/* The other core wakes the equal and so says when the turn ends: by this core's clock more than a turn from now. */
static void wake_from_a_core_whose_clock_is_ahead(struct thread *t)
{
    host_on(1);
    host_now += 2 * MS;
    thread_start(t);
    host_now -= 2 * MS;
    host_on(0);
}

static void say_thrice_beside_another(void *arg)
{
    wake_from_a_core_whose_clock_is_ahead(arg);
    say_thrice_while_interrupted("a");
}

static void no_clock_of_another_core_ends_a_turn(void **state)
{
    struct thread *b = thread_create("b", 0, 8, say_thrice_while_interrupted, "b", NULL, false);
    for (unsigned i = 0; i < 4; i++)
        period[i] = 1500000;
    works = 0;
    spawn("urgent", 0, URGENT, come_again, NULL);
    spawn("a", 0, 8, say_thrice_beside_another, b);
    host_run(6 * MS);
    assert_string_equal(order, "aaabbb");
}

/* In the middle of a turn, or at its very end, the equal that waits is made less urgent. Later another one comes. */
static struct thread *other;
static void lower_other(void *unused) { thread_set_prio(other, 2); }

static void compute_later(void *arg)
{
    thread_block(10 * TURN);
    compute(arg);
}

static void a_turn_whose_end_finds_no_equal_is_nobodys(void **state)
{
    for (unsigned half = 1; half <= 2; half++) {
        struct timer down;
        fresh(state);
        timer_init(&down, lower_other, NULL);
        spawn("later", 0, 8, compute_later, &used[2]);
        host_settle();
        spawn("equal", 0, 8, compute, &used[0]);
        other = spawn("other", 0, 8, compute, &used[1]);
        timer_arm(&down, host_now + half * TURN / 2);
        host_settle();
        assert_int_equal(used[1], 0);
        assert_in_range(used[0], 15 * TURN - 2000, 15 * TURN + 2000);
        assert_in_range(used[2], 5 * TURN - 2000, 5 * TURN + 2000);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, fresh)
    const struct CMUnitTest tests[] = {
        T(a_storm_of_wake_ups_keeps_no_equal_from_the_core),
        T(three_equals_have_a_third_each),
        T(what_is_more_than_a_turn_counts_for_the_next_one),
        T(whole_turns_and_parts_of_turns_are_shared),
        T(what_interrupts_once_does_not_rotate_equals),
        T(equals_have_as_much_of_windows),
        T(a_window_that_others_take_keeps_no_equal_from_the_core),
        T(turns_that_end_by_themselves_cost_an_alarm_each),
        T(no_clock_of_another_core_ends_a_turn),
        T(a_turn_whose_end_finds_no_equal_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
