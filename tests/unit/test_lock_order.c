/* SPDX-License-Identifier: MIT */
/* The checker of lock classes (tests/host/lock_order.c) notices each order that docs/locks.md does not permit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lock_order.h"

static char said[400];
static int core[2], lock[4]; /* of which only the addresses count */
static struct lock_site device, timers, queue, queue_too, unlisted, of_a_test;

void lock_order_failed(const char *what) { memcpy(said, what, strlen(what) + 1); }

static int setup(void **state)
{
    lock_order_forget();
    said[0] = '\0';
    device = (struct lock_site){ "kernel/vm/io.c", "&d->lock", 0 };
    timers = (struct lock_site){ "/home/somebody/kernel/core/timer.c", "&c->timer_lock", 0 };
    queue = (struct lock_site){ "../../kernel/core/sched.c", "&s->lock", 0 };
    queue_too = (struct lock_site){ "kernel/core/thread.c", "&cpu_of(cpu)->sched.lock", 0 };
    unlisted = (struct lock_site){ "kernel/vm/io.c", "&new->lock", 0 };
    of_a_test = (struct lock_site){ "tests/unit/test_timer.c", "&cpus[0]->timer_lock", 0 };
    return 0;
}

static void take(unsigned n, struct lock_site *site) { lock_order_take(&lock[n], site, &core[0], false); }
static void assert_right(void) { assert_string_equal(said, ""); }

static void locks_are_taken_in_the_documented_order(void **state)
{
    take(0, &device);
    take(1, &queue);
    lock_order_release(&lock[1]);
    take(2, &timers);
    assert_right();
}

static void a_lock_of_a_class_above_is_refused(void **state)
{
    take(0, &queue);
    take(1, &device);
    assert_string_equal(said, "a lock is taken: device (kernel/vm/io.c: &d->lock) inside run queue "
                              "(../../kernel/core/sched.c: &s->lock); docs/locks.md has the order");
}

/* Also where it stands below: run queue and timers are taken one after the other. */
static void a_class_that_the_row_does_not_name_is_refused(void **state)
{
    take(0, &timers);
    take(1, &queue);
    assert_memory_equal(said, "a lock is taken: run queue", 26);
}

static void a_lock_is_compared_with_all_that_are_held(void **state)
{
    take(0, &queue);
    take(1, &of_a_test);
    take(2, &device);
    assert_memory_equal(said, "a lock is taken: device", 23);
}

static void two_locks_of_one_class_are_refused(void **state)
{
    take(0, &queue);
    take(1, &queue_too);
    assert_memory_equal(said, "a lock is taken: run queue", 26);
}

/* It waits for nobody, but others may wait for it. */
static void a_lock_that_was_only_tried_is_held_from_then_on(void **state)
{
    take(0, &queue);
    lock_order_took(&lock[1], &device, &core[0]);
    assert_right();
    lock_order_release(&lock[0]);
    take(2, &queue);
    assert_right();
    lock_order_release(&lock[2]);
    lock_order_release(&lock[1]);
    lock_order_took(&lock[1], &queue, &core[0]);
    take(0, &device);
    assert_memory_equal(said, "a lock is taken: device", 23);
}

static void a_lock_that_the_core_holds_is_refused(void **state)
{
    take(0, &device);
    take(0, &device);
    assert_memory_equal(said, "a lock is taken twice: device", 29);
}

static void interrupts_that_are_on_are_noticed(void **state)
{
    lock_order_take(&lock[0], &timers, &core[0], true);
    assert_memory_equal(said, "a lock is taken with interrupts on: timers", 42);
}

static void a_thread_that_sleeps_with_a_lock_is_noticed(void **state)
{
    take(0, &queue);
    lock_order_switch(&core[0]); /* the next thread releases it */
    assert_right();
    lock_order_forget();
    take(1, &device);
    lock_order_switch(&core[1]);
    assert_right();
    lock_order_switch(&core[0]);
    assert_memory_equal(said, "a thread sleeps that holds a lock: device", 41);
}

static void a_lock_that_was_given_back_permits_all(void **state)
{
    take(0, &queue);
    lock_order_release(&lock[0]);
    take(1, &device);
    assert_right();
}

static void each_core_has_an_order_of_its_own(void **state)
{
    take(0, &queue);
    lock_order_take(&lock[1], &device, &core[1], false);
    assert_right();
}

static void a_place_that_nobody_listed_is_noticed(void **state)
{
    take(0, &unlisted);
    assert_memory_equal(said, "a lock without a class", 22);
}

static void what_a_test_takes_is_not_compared(void **state)
{
    take(0, &of_a_test);
    take(1, &device);
    assert_right();
}

int main(void)
{
    unsetenv("LOCK_ORDER"); /* these orders are no kernel's */
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(locks_are_taken_in_the_documented_order),
        T(a_lock_of_a_class_above_is_refused),
        T(a_class_that_the_row_does_not_name_is_refused),
        T(a_lock_is_compared_with_all_that_are_held),
        T(two_locks_of_one_class_are_refused),
        T(a_lock_that_was_only_tried_is_held_from_then_on),
        T(a_lock_that_the_core_holds_is_refused),
        T(interrupts_that_are_on_are_noticed),
        T(a_thread_that_sleeps_with_a_lock_is_noticed),
        T(a_lock_that_was_given_back_permits_all),
        T(each_core_has_an_order_of_its_own),
        T(a_place_that_nobody_listed_is_noticed),
        T(what_a_test_takes_is_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
