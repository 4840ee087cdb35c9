/* SPDX-License-Identifier: MIT */
/* The scheduler's promises: who runs, in which order and for how long; windows: test_window.c. */
#include "threads.h"
#include <core/domain.h>

static void higher_priority_runs_first_and_equals_in_order_of_arrival(void **state)
{
    spawn("a", 0, 8, say_once, "a");
    spawn("b", 0, 9, say_once, "b");
    spawn("c", 0, 8, say_once, "c");
    spawn("d", 0, 31, say_once, "d");
    spawn("e", 0, 0, say_once, "e");
    host_settle();
    assert_string_equal(order, "dbace");
}

static void say_thrice(void *arg)
{
    for (int i = 0; i < 3; i++) {
        say(*(char *)arg);
        thread_yield();
    }
}

static void yield_passes_the_core_to_equals_only(void **state)
{
    spawn("a", 0, 8, say_thrice, "a");
    spawn("b", 0, 8, say_thrice, "b");
    spawn("c", 0, 8, say_thrice, "c");
    spawn("z", 0, 7, say_thrice, "z");
    host_settle();
    assert_string_equal(order, "abcabcabczzz");
}

static void wake_at_once(void *arg)
{
    say('1');
    thread_wake(arg);
    say('2');
}

static void block_then_say(void *arg)
{
    thread_block(TICKS_NEVER);
    say(*(char *)arg);
}

static void waking_a_more_urgent_thread_switches_at_once(void **state)
{
    struct thread *t = spawn("urgent", 0, 20, block_then_say, "u");
    host_settle();
    spawn("waker", 0, 8, wake_at_once, t);
    host_settle();
    assert_string_equal(order, "1u2");
}

static void a_thread_that_its_owner_took_away_is_woken_by_nobody(void **state)
{
    struct thread *t = spawn("t", 0, 20, block_then_say, "t"), *at = t;
    host_settle();
    assert_ptr_equal(thread_take(&at, 0), t);
    assert_null(at);
    thread_wake_at(&at, 0);
    host_settle();
    assert_string_equal(order, "");
    assert_null(thread_take(&at, 0));
    at = t;
    thread_wake_at(&at, 0);
    host_settle();
    assert_string_equal(order, "t");
}

static void waking_a_less_urgent_thread_does_not(void **state)
{
    struct thread *t = spawn("calm", 0, 4, block_then_say, "c");
    host_settle();
    spawn("waker", 0, 8, wake_at_once, t);
    host_settle();
    assert_string_equal(order, "12c");
}

static void a_wake_up_before_the_block_is_not_lost(void **state)
{
    struct thread *t = thread_create("t", 0, 8, block_then_say, "t", NULL, false);
    thread_start(t);
    thread_wake(t); /* ready, not blocked: remembered */
    host_settle();
    assert_string_equal(order, "t");
}

static void wake_on_another_core_sends_an_interrupt(void **state)
{
    struct thread *t = spawn("far", 1, 8, block_then_say, "f");
    host_settle();
    host_ipis = 0;
    thread_wake(t);
    assert_int_equal(host_ipis, 1);
    assert_string_equal(order, "");
    host_settle();
    assert_string_equal(order, "f");
}

static ticks_t used[4];
static void compute(void *arg)
{
    ticks_t *mine = arg;
    while (host_now < 200000000) {
        host_spend(1000);
        *mine += 1000;
    }
}

static void equals_share_the_core_by_slices(void **state)
{
    memset(used, 0, sizeof(used));
    spawn("a", 0, 8, compute, &used[0]);
    spawn("b", 0, 8, compute, &used[1]);
    host_settle();
    assert_in_range(used[0], 90000000, 110000000);
    assert_in_range(used[1], 90000000, 110000000);
}

static void a_thread_alone_is_never_interrupted(void **state)
{
    memset(used, 0, sizeof(used));
    host_alarms_set = 0;
    spawn("a", 0, 8, compute, &used[0]);
    host_settle();
    assert_int_equal(host_alarms_set, 0);
}

static void slices_cost_no_alarm_programming_when_threads_yield_first(void **state)
{
    spawn("a", 0, 8, say_thrice, "a");
    spawn("b", 0, 8, say_thrice, "b");
    host_alarms_set = 0;
    host_settle();
    assert_string_equal(order, "ababab");
    assert_int_equal(host_alarms_set, 1);
}

static void yield_often(void *arg)
{
    while (host_now < 300000000) {
        host_spend(100);
        *(ticks_t *)arg += 100;
        thread_yield();
    }
}

/* A preempted thread keeps its place: the interrupter's coming and going must not rotate its equals. */
static void say_while_interrupted(void *arg)
{
    say(*(char *)arg);
    host_spend(5000);
    say(*(char *)arg);
}
static void wake_by_timer(void *arg)
{
    thread_block(3000);
    say('!');
}
static void preemption_does_not_rotate_equals(void **state)
{
    spawn("timer", 0, 20, wake_by_timer, NULL);
    host_settle();
    spawn("a", 0, 8, say_while_interrupted, "a");
    spawn("b", 0, 8, say_while_interrupted, "b");
    host_settle();
    assert_string_equal(order, "a!abb");
}

static void lower_self(void *arg)
{
    say('x');
    assert_int_equal(thread_set_prio(thread_self(), 2), 0);
    say('y');
}
static void lowering_its_priority_gives_way_at_once(void **state)
{
    spawn("x", 0, 9, lower_self, NULL);
    spawn("a", 0, 8, say_once, "a");
    host_settle();
    assert_string_equal(order, "xay");
    assert_int_equal(thread_set_prio(cpus[0]->sched.idle, 32), -ERANGE);
}

static void raising_a_waiting_thread_preempts(void *arg)
{
    say('1');
    thread_set_prio(arg, 30);
    say('2');
}
static void priority_change_of_a_ready_thread_takes_effect(void **state)
{
    struct thread *t = thread_create("t", 0, 3, say_once, "t", NULL, false);
    spawn("w", 0, 8, raising_a_waiting_thread_preempts, t);
    thread_start(t);
    host_settle();
    assert_string_equal(order, "1t2");
}

static void fpu_loop(void *arg)
{
    for (int i = 0; i < 5; i++)
        thread_yield();
}
static void extended_state_moves_only_between_owners(void **state)
{
    thread_start(thread_create("f", 0, 8, fpu_loop, NULL, NULL, true));
    spawn("n", 0, 8, fpu_loop, NULL);
    host_settle();
    assert_int_equal(host_fpu_loads, 1);
    assert_int_equal(host_fpu_saves, 0);
    host_boot(1);
    thread_start(thread_create("f", 0, 8, fpu_loop, NULL, NULL, true));
    thread_start(thread_create("g", 0, 8, fpu_loop, NULL, NULL, true));
    host_settle();
    assert_int_equal(host_fpu_loads, 12);
    assert_int_equal(host_fpu_saves, 10); /* nobody to save before the first load, and none after an owner's end */
}

/* --- end of threads ------------------------------------------------------------------------------ */

static void joiner(void *arg)
{
    thread_join(arg);
    say('j');
}
static void join_waits_for_the_end_and_frees(void **state)
{
    struct thread *t = thread_create("t", 1, 8, block_then_say, "t", NULL, true);
    spawn("j", 0, 8, joiner, t);
    thread_start(t);
    host_settle();
    assert_string_equal(order, "");
    thread_wake(t);
    host_settle();
    assert_string_equal(order, "tj");
}

static void never_sleeps(void *arg)
{
    while (host_now < 50000)
        host_spend(100);
    say('n');
}
static void lower_and_end(void *arg)
{
    assert_int_equal(thread_set_prio(thread_self(), 1), 0);
    say('e');
}
static void join_later(void *arg)
{
    thread_block(3000);
    joiner(arg);
}
static void who_is_joined_gets_time_beside_one_that_never_sleeps(void **state)
{
    spawn("j", 0, 31, join_later, spawn("e", 0, 1, lower_and_end, NULL));
    spawn("n", 0, 8, never_sleeps, NULL);
    host_settle();
    assert_string_equal(order, "ejn");
}

static void priority_of_who_cannot_run_interrupts_nobody(void **state)
{
    static struct domain d = { .id = 0 };
    sched_group_init(&cpus[1]->sched, 1); /* group 0 has core 1 now */
    cpus[1]->sched.group_of[0] = 1;
    struct thread *t = thread_create("t", 1, 3, say_once, "t", &d, false);
    thread_start(t);
    unsigned before = host_ipis_to[1];
    for (unsigned prio = 1; prio < 32; prio++)
        assert_int_equal(thread_set_prio(t, prio), 0);
    thread_hurry(t, 31);
    assert_int_equal(host_ipis_to[1], before);
}

static void bad_threads_are_refused(void **state)
{
    assert_null(thread_create("t", 2, 8, say_once, "t", NULL, false));
    assert_null(thread_create("t", 0, 32, say_once, "t", NULL, false));
}

static void run_time_is_accounted(void **state)
{
    memset(used, 0, sizeof(used));
    struct thread *a = spawn("a", 0, 8, yield_often, &used[0]), *b = spawn("b", 0, 8, yield_often, &used[1]);
    host_settle();
    assert_int_equal(a->run_total, used[0]);
    assert_int_equal(b->run_total, used[1]);
}

static void say_switches(void *arg)
{
    for (int i = 0; i < 3; i++) {
        say((char)('0' + thread_switches(thread_self())));
        thread_yield();
    }
}

static void how_often_a_thread_got_the_core_is_counted(void **state)
{
    struct thread *t = spawn("a", 0, 8, say_switches, NULL);
    spawn("b", 0, 8, say_thrice, "b");
    assert_int_equal(thread_switches(t), 0);
    host_settle();
    assert_string_equal(order, "1b2b3b");
}

static struct domain walked;

/* Say the names of the next `n` threads of the test, or that the walk ends; then it begins anew. */
static void walk(struct thread *place, unsigned n)
{
    struct thread t;
    while (n) {
        bool found = thread_next(place, &t);
        if (found && t.domain != &walked)
            continue; /* the machine's own */
        say(found ? t.name[0] : '.');
        if (!found)
            thread_walk(place);
        n--;
    }
}

static void a_walk_meets_each_thread_that_stays_once_whoever_walks_beside_it(void **state)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    struct thread first, second, *t[5];
    for (unsigned i = 0; i < 5; i++)
        t[i] = thread_create(names[i], 0, 8, say_once, NULL, &walked, false);
    thread_walk(&first);
    thread_walk(&second);
    walk(&first, 2);
    walk(&second, 3);
    assert_string_equal(order, "ababc");
    thread_discard(t[1]); /* the first one has just met it */
    thread_discard(t[3]); /* next of the second one */
    walk(&second, 2);
    walk(&first, 3);
    assert_string_equal(order, "ababce.ce.");
    walk(&first, 1);
    walk(&second, 4); /* the first one's place is no thread */
    walk(&first, 3);
    assert_string_equal(order, "ababce.ce.aace.ce.");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(higher_priority_runs_first_and_equals_in_order_of_arrival),
        T(yield_passes_the_core_to_equals_only),
        T(waking_a_more_urgent_thread_switches_at_once),
        T(a_thread_that_its_owner_took_away_is_woken_by_nobody),
        T(waking_a_less_urgent_thread_does_not),
        T(a_wake_up_before_the_block_is_not_lost),
        T(wake_on_another_core_sends_an_interrupt),
        T(equals_share_the_core_by_slices),
        T(a_thread_alone_is_never_interrupted),
        T(slices_cost_no_alarm_programming_when_threads_yield_first),
        T(preemption_does_not_rotate_equals),
        T(lowering_its_priority_gives_way_at_once),
        T(priority_change_of_a_ready_thread_takes_effect),
        T(extended_state_moves_only_between_owners),
        T(join_waits_for_the_end_and_frees),
        T(who_is_joined_gets_time_beside_one_that_never_sleeps),
        T(priority_of_who_cannot_run_interrupts_nobody),
        T(bad_threads_are_refused),
        T(run_time_is_accounted),
        T(how_often_a_thread_got_the_core_is_counted),
        T(a_walk_meets_each_thread_that_stays_once_whoever_walks_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
