/* SPDX-License-Identifier: MIT */
/*
 * test_user_stress.c - threads and all their objects of user/lib on the host, under the thread sanitizer, which reports
 * what two threads do without an order. STEPS in the environment: how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../programs/sync.h"

#include "thread.h"
#include "userlib.h"

#define THREADS 4
#define STEPS   10000u

void console_leave(void) {}
_Noreturn void exit(int status)
{
    fail_msg("the process ended with %d", status);
    __builtin_unreachable();
}

static unsigned steps(void)
{
    const char *given = getenv("STEPS");
    return given ? (unsigned)strtoul(given, NULL, 10) : STEPS;
}

static void run(void *(*task)(void *))
{
    pthread_t thread[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, task, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static struct timespec in_us(long us)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += us * 1000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long counter;

static void *count(void *arg)
{
    for (unsigned i = 0; i < steps(); i++) {
        struct timespec soon = in_us(100000);
        if (i % 8 ? pthread_mutex_lock(&mutex) : pthread_mutex_timedlock(&mutex, &soon))
            continue;
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

static void test_a_mutex_lets_one_thread_in(void **state)
{
    run(count);
    assert_true(counter > THREADS * steps() * 7 / 8 && counter <= THREADS * steps());
}

/* Pairs of threads hand a ball to each other by a condition that each round makes, uses and frees; waits are timed and
 * often end by their time while the other wakes them. */
static pthread_cond_t *rounds[THREADS / 2];
static unsigned timed_out;

static void wait_for(uintptr_t pair, unsigned i)
{
    pthread_cond_t *c = malloc(sizeof(*c));
    pthread_cond_init(c, NULL);
    rounds[pair] = c;
    while (rounds[pair] == c) {
        struct timespec soon = in_us(i % 64);
        int error = i % 4 ? pthread_cond_timedwait(c, &mutex, &soon) : pthread_cond_wait(c, &mutex);
        assert_true(error == 0 || error == ETIMEDOUT);
        timed_out += error == ETIMEDOUT;
    }
}

static bool wake(uintptr_t pair, unsigned i)
{
    pthread_cond_t *c = rounds[pair];
    if (!c)
        return false;
    rounds[pair] = NULL;
    if (i % 2)
        pthread_cond_signal(c);
    else
        pthread_cond_broadcast(c);
    assert_int_equal(pthread_cond_destroy(c), 0);
    free(c);
    return true;
}

static void *pass(void *arg)
{
    uintptr_t pair = (uintptr_t)arg / 2, waits = (uintptr_t)arg % 2;
    for (unsigned i = 0; i < steps() / 4;) {
        pthread_mutex_lock(&mutex);
        if (waits)
            wait_for(pair, i++);
        else if (wake(pair, i))
            i++;
        pthread_mutex_unlock(&mutex);
        if (!waits)
            sched_yield();
    }
    return arg;
}

static void test_conditions_may_be_freed_when_all_are_woken(void **state)
{
    run(pass);
    assert_true(timed_out > 0);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned initialized;
static void initialize(void) { initialized++; }

static void *begin_and_end(void *arg)
{
    pthread_once(&once, initialize);
    assert_int_equal(initialized, 1);
    return arg;
}

static void test_threads_begin_end_and_are_joined(void **state)
{
    for (unsigned i = 0; i < steps() / 100; i++)
        run(begin_and_end);
}

/* Of some waits the kernel says that a signal has ended them. */
static bool signal_some(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    static _Thread_local unsigned waits;
    if (number != AMALGAM_WAIT || ++waits % 8)
        return false;
    thread_self()->signals.handled += waits % 16 == 0; /* a handler has run, or none */
    *result = -AMALGAM_EINTR;
    return true;
}

static void test_all_objects_at_once_keep_their_promises(void **state)
{
    pthread_t thread[THREADS];
    sync_begin(THREADS, steps());
    host_before = signal_some;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &sync.worker[i]), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    host_before = NULL;
    sync_end();
    assert_int_equal(sync.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mutex_lets_one_thread_in),
        cmocka_unit_test(test_conditions_may_be_freed_when_all_are_woken),
        cmocka_unit_test(test_threads_begin_end_and_are_joined),
        cmocka_unit_test(test_all_objects_at_once_keep_their_promises),
    };
    host_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
