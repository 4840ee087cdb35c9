/* SPDX-License-Identifier: MIT */
/*
 * What the threads of a process can cost others: how long their timers, alarms and waits keep interrupts off, in whose
 * window, held against docs/isolation.md. The process has 64 threads on core 0 and a window there; so has a neighbour.
 */
#include "threads.h"

#include <core/domain.h>
#include <core/sched.h>
#include <hal/upcalls.h>
#include <hal/user.h>

#include "process/pages.h"
#include "process/signal.h"
#include "process/waiters.h"
#include "stretch.h"

#define FRAME     100000ull
#define EPOCH     200000ull
#define WORD      (USER_BASE + 64)
#define AN_EXPIRY 350 /* instructions: an alarm, or a sleep, in a timer's interrupt */
#define OTHERS    500 /* the rest of that interrupt: the window's edge, the next alarm */

static struct process process;
static struct process_thread threads[PROCESS_THREADS];
static struct domain d = { .id = 0 };

int user_copy_piece(struct user *u, void *to, const void *from, size_t n) { return -EFAULT; }
bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access) { return false; }
bool process_bring(struct process_thread *t, u64 at, unsigned access) { return false; }

static void nothing(void *arg) { thread_block(TICKS_NEVER); }

static void make_thread(unsigned i)
{
    struct process_thread *t = &threads[i];
    *t = (struct process_thread){ .process = &process, .number = (u8)i, .state = PROCESS_RUNNING };
    process_signals_init(t);
    t->thread = thread_create("t", 0, 8, nothing, t, &d, false);
    assert_non_null(t->thread);
    t->thread->timer.set = t->alarm.set = &process.timers[0];
}

/* The process has the first half of each frame, the neighbour the rest. No frame has begun. */
static int begin(void **state)
{
    static const struct window windows[] = { { 0, FRAME / 2, 1 }, { FRAME / 2, FRAME / 2, 2 } };
    setup(state);
    stretch_begin();
    struct sched *s = &cpus[0]->sched;
    sched_group_init(s, 1);
    sched_group_init(s, 2);
    s->group_of[0] = 1;
    sched_set_frame(cpus[0], windows, 2, FRAME, EPOCH);
    alarm_refresh(cpus[0]);
    process = (struct process){ .thread = threads, .n = PROCESS_THREADS, .signal_entry = USER_BASE };
    list_init(&process.waiters);
    timer_set_init(&process.timers[0], &s->group[1]);
    for (unsigned i = 0; i < PROCESS_THREADS; i++)
        make_thread(i);
    return 0;
}

/* Each thread sleeps until `deadline`, as thread_block() leaves it, and has an alarm then. */
static void arm_all(ticks_t deadline)
{
    for (unsigned i = 0; i < PROCESS_THREADS; i++) {
        timer_arm(&threads[i].thread->timer, deadline);
        timer_arm(&threads[i].alarm, deadline);
    }
}

static unsigned fired(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < PROCESS_THREADS; i++)
        n += (unsigned)!threads[i].alarm.armed + !threads[i].thread->timer.armed;
    return n;
}

/* Returns the instructions of one timer interrupt at `now`, without the switch that follows. */
static unsigned interrupt(ticks_t now)
{
    host_now = now;
    host_irq_on = false;
    count();
    core_irq_timer();
    unsigned n = counted();
    host_irq_on = true;
    return n;
}

static void timers_wait_for_the_window_of_their_process(void **state)
{
    arm_all(EPOCH + FRAME * 3 / 4);
    interrupt(EPOCH);
    assert_true(interrupt(EPOCH + FRAME / 2) <= OTHERS);
    assert_true(host_alarm[0] >= EPOCH + FRAME - 1); /* the neighbour is not interrupted either */
    assert_true(interrupt(EPOCH + FRAME * 3 / 4 + 1) <= OTHERS);
    assert_int_equal(fired(), 0);
}

static void timers_of_one_instant_fire_a_few_an_interrupt(void **state)
{
    unsigned worst = 0;
    arm_all(EPOCH + FRAME * 3 / 4);
    interrupt(EPOCH + FRAME / 2);
    for (unsigned n = 0; n < 2 * PROCESS_THREADS; n += TIMERS_AT_ONCE) {
        assert_int_equal(fired(), n);
        unsigned once = interrupt(EPOCH + FRAME + 1);
        worst = MAX(worst, once);
        assert_true(host_alarm[0] <= host_now || n + TIMERS_AT_ONCE >= 2 * PROCESS_THREADS);
    }
    assert_int_equal(fired(), 2 * PROCESS_THREADS);
    assert_true(cpus[0]->sched.group[1].timer_sets.next == &cpus[0]->sched.group[1].timer_sets);
    print_message("%u timers in an interrupt: %u instructions\n", TIMERS_AT_ONCE, worst);
    assert_true(worst <= TIMERS_AT_ONCE * AN_EXPIRY + OTHERS);
    for (unsigned i = 0; i < PROCESS_THREADS; i++)
        assert_true(threads[i].thread->state == THREAD_READY && threads[i].look & PROCESS_SIGNAL);
}

/* What is due first fires first, whosever it is; what is cancelled does not. */
static void a_set_fires_by_deadline_and_forgets_what_is_cancelled(void **state)
{
    static struct timer_set other;
    static struct timer t[3];
    timer_set_init(&other, &cpus[0]->sched.group[1]);
    for (unsigned i = 0; i < 3; i++) {
        timer_init(&t[i], say_once, &"abc"[i]);
        t[i].set = i == 1 ? &other : &process.timers[0];
        timer_arm(&t[i], EPOCH + 30 - 10 * i);
    }
    interrupt(EPOCH);
    assert_int_equal(host_alarm[0], EPOCH + 10);
    interrupt(EPOCH + 20);
    assert_string_equal(order, "cb");
    assert_true(timer_cancel(&t[0]) && !timer_cancel(&t[0]) && !timer_cancel(&t[1]));
    interrupt(EPOCH + 40);
    assert_string_equal(order, "cb");
    assert_int_equal(host_alarm[0], EPOCH + FRAME / 2);
}

static unsigned arming(struct timer *t, ticks_t deadline)
{
    count();
    timer_arm(t, deadline);
    return counted();
}

static void nobody_walks_along_a_process_timers_but_the_process(void **state)
{
    struct timer mine;
    timer_init(&mine, nothing, NULL);
    timer_arm(&mine, EPOCH);
    unsigned alone = arming(&mine, EPOCH);
    arm_all(EPOCH + FRAME);
    assert_int_equal(arming(&mine, EPOCH), alone);
    timer_cancel(&mine);
    unsigned own = arming(&threads[0].alarm, EPOCH);
    print_message("a timer before 127 others of its process: %u instructions\n", own);
    assert_true(own > alone && own <= 1500);
}

static void waking_all_threads_keeps_the_promise(void **state)
{
    for (unsigned i = 0; i < PROCESS_THREADS; i++)
        process_waiter_add(&threads[i], WORD);
    host_irq_on = false;
    count();
    assert_int_equal(process_wake(&process, WORD, ~0ull), PROCESS_THREADS);
    unsigned n = counted();
    host_irq_on = true;
    print_message("a wake of 64 threads: %u instructions\n", n);
    assert_true(n <= 8000);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
    const struct CMUnitTest tests[] = {
        T(timers_wait_for_the_window_of_their_process),
        T(timers_of_one_instant_fire_a_few_an_interrupt),
        T(a_set_fires_by_deadline_and_forgets_what_is_cancelled),
        T(nobody_walks_along_a_process_timers_but_the_process),
        T(waking_all_threads_keeps_the_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
