/* SPDX-License-Identifier: MIT */
/* Waiting in line: first come, first served; nothing given away is lost. */
#include "threads.h"
#include <core/wait.h>

/* Runs until it waits. */
static struct thread *begin(unsigned cpu, unsigned prio, void (*fn)(void *), void *arg)
{
    struct thread *t = spawn("t", cpu, prio, fn, arg);
    host_settle();
    return t;
}

static struct mutex m;
static struct semaphore s;

static void lock_and_say(void *arg)
{
    assert_int_equal(mutex_lock(&m), 0);
    assert_ptr_equal(m.owner, thread_self());
    say(*(char *)arg);
    thread_yield();
    say(*(char *)arg);
    mutex_unlock(&m);
}
static void hold_then_pass(void *arg)
{
    mutex_lock(&m);
    thread_block(TICKS_NEVER);
    mutex_unlock(&m);
    mutex_lock(&m); /* behind all who waited */
    say('h');
    mutex_unlock(&m);
}
static void mutex_is_handed_over_in_order_across_cores_and_priorities(void **state)
{
    mutex_init(&m);
    struct thread *h = begin(0, 8, hold_then_pass, NULL);
    begin(1, 8, lock_and_say, "a");
    begin(0, 20, lock_and_say, "b");
    begin(1, 30, lock_and_say, "c");
    assert_ptr_equal(m.owner, h);
    thread_wake(h);
    host_settle();
    assert_string_equal(order, "aabbcch");
    assert_null(m.owner);
}

static void take_and_say(void *arg)
{
    int err = sem_wait(&s, TICKS_NEVER);
    assert_int_equal(err, 0);
    say(*(char *)arg);
}
static void semaphore_serves_in_order_and_counts(void **state)
{
    sem_init(&s, 1);
    begin(0, 8, take_and_say, "a");
    begin(1, 8, take_and_say, "b");
    begin(0, 31, take_and_say, "c");
    assert_string_equal(order, "a");
    sem_post(&s);
    host_settle();
    assert_string_equal(order, "ab");
    sem_post(&s);
    sem_post(&s);
    host_settle();
    assert_string_equal(order, "abc");
    assert_int_equal(s.count, 1);
    begin(0, 8, take_and_say, "d");
    begin(0, 8, take_and_say, "e");
    assert_string_equal(order, "abcd");
    assert_int_equal(s.count, 0);
}

static int result;
static ticks_t when;
static void wait_limited(void *arg)
{
    result = sem_wait(&s, *(ticks_t *)arg);
    when = host_now;
}
static void a_wait_times_out_and_leaves_the_line(void **state)
{
    ticks_t limit = 5000;
    sem_init(&s, 0);
    begin(0, 8, wait_limited, &limit);
    host_run(4999);
    assert_int_equal(result, 0);
    host_run(6000);
    assert_int_equal(result, -ETIMEDOUT);
    assert_int_equal(when, 5000);
    sem_post(&s);
    assert_int_equal(s.count, 1); /* nobody is in the line to swallow it */
}

static void a_stray_wake_up_is_not_taken_for_the_turn(void **state)
{
    sem_init(&s, 0);
    struct thread *t = begin(0, 8, take_and_say, "a");
    thread_wake(t);
    host_settle();
    assert_string_equal(order, "");
    sem_post(&s);
    host_settle();
    assert_string_equal(order, "a");
}

static void post_from_interrupt(void *arg) { sem_post(&s); }
static void post_from_an_interrupt_wakes(void **state)
{
    struct timer t;
    sem_init(&s, 0);
    begin(0, 8, take_and_say, "a");
    timer_init(&t, post_from_interrupt, NULL);
    timer_arm(&t, 7000);
    host_run(8000);
    assert_string_equal(order, "a");
}

static struct waitq q;
static void wait_in_queue(void *arg)
{
    unsigned long flags = spin_lock_irqsave(&q.lock);
    waitq_wait(&q, TICKS_NEVER);
    say(*(char *)arg);
    spin_unlock_irqrestore(&q.lock, flags);
}
static void wake_one_and_wake_all(void **state)
{
    waitq_init(&q);
    begin(0, 8, wait_in_queue, "a");
    begin(0, 8, wait_in_queue, "b");
    begin(0, 8, wait_in_queue, "c");
    spin_lock(&q.lock);
    assert_int_equal(waitq_wake_one(&q), 1);
    spin_unlock(&q.lock);
    host_settle();
    assert_string_equal(order, "a");
    spin_lock(&q.lock);
    assert_int_equal(waitq_wake_all(&q), 2);
    assert_int_equal(waitq_wake_all(&q), 0);
    spin_unlock(&q.lock);
    host_settle();
    assert_string_equal(order, "abc");
}

static void sleeper(void *arg)
{
    thread_sleep_ns(1000);
    when = host_now;
    say('z');
}
static void sleep_is_not_shorter_and_ends_when_asked_to_stop(void **state)
{
    struct thread *t = begin(0, 8, sleeper, NULL);
    thread_wake(t); /* a stray wake-up does not shorten it */
    host_run(5000);
    assert_int_equal(when, 2000);
    host_boot(1);
    t = begin(0, 8, sleeper, NULL);
    t->stop = true;
    thread_wake(t);
    host_settle();
    assert_int_equal(when, 1000);
}

static void wait_and_say(void *arg)
{
    unsigned long flags = spin_lock_irqsave(&q.lock);
    result = waitq_wait(&q, TICKS_NEVER);
    spin_unlock_irqrestore(&q.lock, flags);
    say(*(char *)arg);
}
static void lock_once(void *arg) { result = mutex_lock(&m); }
static void hold(void *arg)
{
    mutex_lock(&m);
    thread_block(TICKS_NEVER);
    mutex_unlock(&m);
}
static void take_once(void *arg) { result = sem_wait(&s, TICKS_NEVER); }
static void ask_to_stop(struct thread *t)
{
    result = 0;
    t->stop = true;
    thread_wake(t);
    host_settle();
    assert_int_equal(result, -ECANCELED);
}
static void every_wait_ends_when_the_thread_is_asked_to_stop(void **state)
{
    waitq_init(&q);
    mutex_init(&m);
    sem_init(&s, 0);
    ask_to_stop(begin(0, 8, wait_and_say, "w"));
    assert_string_equal(order, "w");
    assert_true(list_empty(&q.waiters));
    ticks_t never = TICKS_NEVER;
    ask_to_stop(begin(0, 8, wait_limited, &never));
    struct thread *h = begin(0, 8, hold, NULL);
    ask_to_stop(begin(0, 8, lock_once, NULL));
    thread_wake(h);
    host_settle();
    assert_null(m.owner); /* nobody is in the line to be given it */
    ask_to_stop(begin(1, 8, take_once, NULL));
    sem_post(&s);
    assert_int_equal(s.count, 1); /* nor to be given this */
}

static void stop_self_and_wait(void *arg)
{
    thread_self()->stop = true;
    wait_and_say(arg);
}
static void stop_self_and_take(void *arg)
{
    thread_self()->stop = true;
    take_and_say(arg);
}
static void who_was_asked_to_stop_does_not_begin_to_wait_but_takes_what_is_there(void **state)
{
    waitq_init(&q);
    begin(0, 8, stop_self_and_wait, "x");
    assert_string_equal(order, "x");
    assert_int_equal(result, -ECANCELED);
    sem_init(&s, 1);
    begin(0, 8, stop_self_and_take, "t");
    assert_string_equal(order, "xt");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(mutex_is_handed_over_in_order_across_cores_and_priorities),
        T(semaphore_serves_in_order_and_counts),
        T(a_wait_times_out_and_leaves_the_line),
        T(a_stray_wake_up_is_not_taken_for_the_turn),
        T(post_from_an_interrupt_wakes),
        T(wake_one_and_wake_all),
        T(sleep_is_not_shorter_and_ends_when_asked_to_stop),
        T(every_wait_ends_when_the_thread_is_asked_to_stop),
        T(who_was_asked_to_stop_does_not_begin_to_wait_but_takes_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
