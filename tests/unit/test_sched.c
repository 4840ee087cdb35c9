/* SPDX-License-Identifier: MIT */
/* The scheduler's promises: who runs, in which order, for how long, and only in its windows. */
#include "threads.h"
#include <core/domain.h>

static void say_once(void *arg) { say(*(char *)arg); }

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

/* --- windows --------------------------------------------------------------------------------- */

static struct domain dom[2];
static void frame(const struct window *w, unsigned n)
{
    for (unsigned i = 0; i < 2; i++) {
        dom[i].id = i;
        cpus[0]->sched.group_of[i] = (u8)(i + 1);
    }
    sched_set_frame(cpus[0], w, n, 10000, 20000);
    alarm_refresh(cpus[0]);
}

static ticks_t seen_first[2], seen_last[2];
static void stay_in_window(void *arg)
{
    unsigned me = *(unsigned *)arg;
    while (host_now < 100000) {
        if (host_now >= 20000) {
            ticks_t at = (host_now - 20000) % 10000;
            seen_first[me] = MIN(seen_first[me], at);
            seen_last[me] = MAX(seen_last[me], at);
        }
        host_spend(10);
        used[me] += 10;
    }
}

static const struct window two[] = { { 1000, 3000, 1 }, { 5000, 2000, 2 } };

static void groups_run_in_their_windows_only(void **state)
{
    static unsigned ids[2] = { 0, 1 };
    memset(used, 0, sizeof(used));
    memset(seen_first, 0xff, sizeof(seen_first));
    memset(seen_last, 0, sizeof(seen_last));
    frame(two, 2);
    for (unsigned i = 0; i < 2; i++)
        thread_start(thread_create("w", 0, 8, stay_in_window, &ids[i], &dom[i], false));
    host_run(99999);
    assert_in_range(seen_first[0], 1000, 1010);
    assert_in_range(seen_last[0], 3980, 4000);
    assert_in_range(seen_first[1], 5000, 5010);
    assert_in_range(seen_last[1], 6980, 7000);
    assert_in_range(used[0], 8 * 3000 - 100, 8 * 3000 + 100); /* from 20000 to 100000 there are eight frames */
    assert_in_range(used[1], 8 * 2000 - 100, 8 * 2000 + 100);
    assert_true(cpus[0]->sched.window_switches >= 8 * 5 - 5);
}

static void unclaimed_time_belongs_to_the_shared_group(void **state)
{
    memset(used, 0, sizeof(used));
    frame(two, 2);
    static unsigned id = 1;
    struct thread *t = thread_create("shared", 0, 8, stay_in_window, &id, NULL, false);
    thread_start(t);
    host_run(99999);
    /* before the first frame (1000..20000) and 5000 of every 10000 after it */
    assert_in_range(used[1], 19000 + 8 * 5000 - 200, 19000 + 8 * 5000 + 200);
}

static void a_window_group_does_not_run_on_an_idle_core(void **state)
{
    frame(two, 2);
    host_run(20500); /* a gap */
    thread_start(thread_create("w", 0, 31, say_once, "w", &dom[1], false));
    host_run(24000);
    assert_string_equal(order, "");
    host_run(25001);
    assert_string_equal(order, "w");
}

/* Interrupts stay off over an edge: the delay is recorded, and the frame does not drift. */
static void late(void *arg)
{
    host_irq_on = false;
    host_now = 31700; /* the edge was at 31000 */
    host_irq_on = true;
    host_spend(1);
}
static void delays_are_recorded_and_do_not_accumulate(void **state)
{
    frame(two, 2);
    host_run(30500);
    assert_int_equal(cpus[0]->sched.window_late_max, 0);
    spawn("late", 0, 8, late, NULL);
    host_run(33000);
    assert_in_range(cpus[0]->sched.window_late_max, 700, 710);
    assert_int_equal(cpus[0]->sched.frame.current_end, 34000);
    host_run(39500);
    host_now = 40300; /* late for the next frame as a whole */
    host_settle();
    assert_int_equal(cpus[0]->sched.frame.current_end, 41000);
    host_now = 1000000; /* a core that slept through many frames finds the right window at once */
    host_settle();
    assert_int_equal(cpus[0]->sched.frame.current_end, 1001000);
    assert_ptr_equal(cpus[0]->sched.active, &cpus[0]->sched.group[0]);
}

static void frames_keep_their_gaps_as_segments(void **state)
{
    frame(two, 2);
    const struct frame *f = &cpus[0]->sched.frame;
    assert_int_equal(f->n, 5);
    ticks_t sum = 0;
    for (unsigned i = 0; i < f->n; i++) {
        assert_int_equal(f->window[i].start, sum);
        sum += f->window[i].length;
    }
    assert_int_equal(sum, 10000);
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
        T(groups_run_in_their_windows_only),
        T(unclaimed_time_belongs_to_the_shared_group),
        T(a_window_group_does_not_run_on_an_idle_core),
        T(delays_are_recorded_and_do_not_accumulate),
        T(frames_keep_their_gaps_as_segments),
        T(join_waits_for_the_end_and_frees),
        T(bad_threads_are_refused),
        T(run_time_is_accounted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
