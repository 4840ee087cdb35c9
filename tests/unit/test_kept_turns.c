/* SPDX-License-Identifier: MIT */
/* Turns of equal threads that a more urgent one cuts short, in a kernel in which they count (KEPT_TURNS). */
#include "threads.h"
#include <core/cpu.h>

#define END    200000000u
#define URGENT 20 /* priority of who comes again and again */

static ticks_t used[3], period, works;

static void compute(void *arg)
{
    while (host_now < END) {
        host_spend(1000);
        *(ticks_t *)arg += 1000;
    }
}

/* As a driver of a card: it sleeps until the next frame. */
static void come_again(void *unused)
{
    (void)unused;
    for (ticks_t next = period; host_now < END; next += period) {
        thread_block(next);
        host_spend(works);
    }
}

static void beside(ticks_t every, ticks_t takes, unsigned equals)
{
    memset(used, 0, sizeof(used));
    period = every;
    works = takes;
    spawn("urgent", 0, URGENT, come_again, NULL);
    host_settle();
    for (unsigned i = 0; i < equals; i++)
        spawn("equal", 0, 8, compute, &used[i]);
    host_settle();
}

/* Fifty times a turn, once a turn, and just more often than that. */
static void a_storm_of_wake_ups_keeps_no_equal_from_the_core(void **state)
{
    static const ticks_t often[] = { 20000, 200000, 9990000 };
    for (unsigned i = 0; i < 3; i++) {
        if (i)
            setup(state);
        host_now = 0;
        beside(often[i], often[i] / 4, 2);
        ticks_t all = used[0] + used[1];
        assert_true(all > END / 2);
        assert_in_range(used[0], all * 2 / 5, all * 3 / 5);
    }
}

static void three_equals_have_a_third_each(void **state)
{
    beside(50000, 10000, 3);
    ticks_t all = used[0] + used[1] + used[2];
    for (unsigned i = 0; i < 3; i++)
        assert_in_range(used[i], all / 4, all * 5 / 12);
}

/* Its place is kept until a turn is over. */
static void say_thrice_while_interrupted(void *arg)
{
    for (int i = 0; i < 3; i++) {
        say(*(char *)arg);
        host_spend(1000000);
    }
}

static void what_interrupts_once_does_not_rotate_equals(void **state)
{
    period = END;
    works = 0;
    spawn("a", 0, 8, say_thrice_while_interrupted, "a");
    spawn("b", 0, 8, say_thrice_while_interrupted, "b");
    period = 1500000;
    spawn("urgent", 0, URGENT, come_again, NULL);
    host_run(6000000);
    assert_string_equal(order, "aaabbb");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_storm_of_wake_ups_keeps_no_equal_from_the_core),
        T(three_equals_have_a_third_each),
        T(what_interrupts_once_does_not_rotate_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
