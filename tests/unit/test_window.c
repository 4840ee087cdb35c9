/* SPDX-License-Identifier: MIT */
/* The frame of windows: a group runs in its own only, unclaimed time is the shared group's, and edges do not drift. */
#include "threads.h"
#include <core/domain.h>

static ticks_t used[2];
static struct domain dom[2];
static void frame(const struct window *w, unsigned n)
{
    for (unsigned i = 0; i < 2; i++) {
        dom[i].id = i;
        if (!cpus[0]->sched.group_of[i])
            sched_group_init(&cpus[0]->sched, i + 1);
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

static void compute(void *arg)
{
    while (host_now < 220000) {
        host_spend(10);
        used[*(unsigned *)arg] += 10;
    }
}

/* A turn is longer than a window here, and longer than what of a second window is left. */
static void a_turn_goes_on_in_the_next_window(void **state)
{
    static unsigned ids[2] = { 0, 1 };
    memset(used, 0, sizeof(used));
    frame(two, 2);
    cpus[0]->sched.slice = 5000;
    for (unsigned i = 0; i < 2; i++)
        thread_start(thread_create("equal", 0, 8, compute, &ids[i], &dom[0], false));
    host_run(219999); /* twenty frames, with a window of 3000 each */
    assert_in_range(used[0], 30000 - 5000, 30000 + 5000);
    assert_in_range(used[1], 30000 - 5000, 30000 + 5000);
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

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(groups_run_in_their_windows_only),
        T(unclaimed_time_belongs_to_the_shared_group),
        T(a_window_group_does_not_run_on_an_idle_core),
        T(delays_are_recorded_and_do_not_accumulate),
        T(a_turn_goes_on_in_the_next_window),
        T(frames_keep_their_gaps_as_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
