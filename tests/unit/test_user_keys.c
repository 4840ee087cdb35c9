/* SPDX-License-Identifier: MIT */
/* test_user_keys.c - keys of processes' threads, their destructors, and pthread_cleanup_push(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "../../user/lib/pthread_key.c"

#include "userlib.h"

void console_leave(void) {}
_Noreturn void exit(int status);
_Noreturn void exit(int status)
{
    fail_msg("the process ended with %d", status);
    __builtin_unreachable();
}

static char calls[64]; /* what was called, a letter each */
static void note(char letter) { calls[strlen(calls)] = letter; }

static int begin(void **state)
{
    host_begin();
    memset(calls, 0, sizeof(calls));
    return 0;
}

static void run(void *(*start)(void *))
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, start, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static pthread_key_t key, plain;

static void destroy_letter(void *value)
{
    assert_null(pthread_getspecific(key));
    assert_ptr_equal(pthread_getspecific(plain), calls); /* it has no destructor */
    note(*(char *)value);
}

static void *set_and_return(void *arg)
{
    assert_null(pthread_getspecific(key));
    pthread_setspecific(plain, calls);
    pthread_setspecific(key, "r");
    return arg;
}

static void *set_and_exit(void *arg)
{
    set_and_return(arg);
    pthread_setspecific(key, "e");
    pthread_exit(arg);
}

static void *set_nothing(void *arg)
{
    assert_int_equal(pthread_setspecific(key, arg), 0);
    return arg;
}

static void test_destructors_run_when_a_thread_ends_either_way(void **state)
{
    assert_int_equal(pthread_key_create(&key, destroy_letter), 0);
    assert_int_equal(pthread_key_create(&plain, NULL), 0);
    pthread_setspecific(key, "m");
    run(set_and_return);
    run(set_and_exit);
    run(set_nothing);
    assert_string_equal(calls, "re");
    assert_string_equal(pthread_getspecific(key), "m"); /* each thread has its own */
    assert_int_equal(pthread_key_delete(key), 0);
    assert_int_equal(pthread_key_delete(plain), 0);
}

static void destroy_and_set(void *value)
{
    note('d');
    pthread_setspecific(key, value);
}

static void test_destructors_that_set_values_are_called_again_but_not_for_ever(void **state)
{
    assert_int_equal(pthread_key_create(&key, destroy_and_set), 0);
    run(set_and_return);
    assert_int_equal(strlen(calls), PTHREAD_DESTRUCTOR_ITERATIONS);
    assert_int_equal(pthread_key_delete(key), 0);
}

static void *set_and_delete(void *arg)
{
    pthread_setspecific(key, "x");
    pthread_key_delete(key);
    return arg;
}

static void test_a_key_that_was_deleted_has_no_destructor_and_no_value(void **state)
{
    assert_int_equal(pthread_key_create(&key, destroy_letter), 0);
    pthread_setspecific(key, "old");
    run(set_and_delete);
    assert_string_equal(calls, "");
    assert_int_equal(pthread_key_delete(key), EINVAL);
    assert_int_equal(pthread_setspecific(key, "x"), EINVAL);
    assert_null(pthread_getspecific(key));
    pthread_key_t again;
    assert_int_equal(pthread_key_create(&again, NULL), 0);
    assert_int_equal(again, key);
    assert_null(pthread_getspecific(again));
    assert_int_equal(pthread_key_delete(again), 0);
    assert_int_equal(pthread_setspecific(PTHREAD_KEYS_MAX, "x"), EINVAL);
    assert_null(pthread_getspecific(PTHREAD_KEYS_MAX));
}

static void test_there_are_as_many_keys_as_limits_h_says(void **state)
{
    pthread_key_t all[PTHREAD_KEYS_MAX];
    for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++)
        assert_int_equal(pthread_key_create(&all[i], NULL), 0);
    assert_int_equal(pthread_key_create(&key, NULL), EAGAIN);
    for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++)
        assert_int_equal(pthread_key_delete(all[i]), 0);
}

static void test_no_number_of_a_key_comes_round(void **state)
{
    assert_int_equal(pthread_key_create(&key, NULL), 0);
    pthread_setspecific(key, "of the first key");
    uint32_t first = keys[key].number;
    assert_int_equal(pthread_key_delete(key), 0);
    keys[key].number = UINT32_MAX - 3;
    for (unsigned i = 0; i < 3; i++) {
        pthread_key_t other;
        assert_int_equal(pthread_key_create(&other, NULL), 0);
        assert_true((other == key) == (i == 0));
        assert_int_not_equal(keys[key].number, first);
        assert_null(pthread_getspecific(other));
        assert_int_equal(pthread_key_delete(other), 0);
    }
}

static void put_letter(void *arg) { note(*(char *)arg); }

static void *push_and_exit(void *arg)
{
    pthread_setspecific(key, "k");
    pthread_cleanup_push(put_letter, "1");
    pthread_cleanup_push(put_letter, "2");
    pthread_cleanup_push(put_letter, "3");
    pthread_cleanup_pop(arg != NULL);
    pthread_cleanup_push(put_letter, "4");
    pthread_cleanup_pop(1);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return arg;
}

static void test_what_was_pushed_runs_before_the_destructors_the_last_first(void **state)
{
    assert_int_equal(pthread_key_create(&key, put_letter), 0);
    run(push_and_exit);
    assert_string_equal(calls, "421k");
    assert_int_equal(pthread_key_delete(key), 0);
}

static void *read_states(void *arg)
{
    int old = -1;
    assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old), 0);
    assert_int_equal(old, PTHREAD_CANCEL_ENABLE);
    assert_int_equal(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old), 0);
    assert_int_equal(old, PTHREAD_CANCEL_DISABLE);
    assert_int_equal(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old), 0);
    assert_int_equal(old, PTHREAD_CANCEL_DEFERRED);
    assert_int_equal(pthread_setcanceltype(-100, &old), EINVAL);
    return arg;
}

static void test_a_thread_keeps_its_states_of_cancellation(void **state)
{
    run(read_states);
    run(read_states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_destructors_run_when_a_thread_ends_either_way, begin),
        cmocka_unit_test_setup(test_destructors_that_set_values_are_called_again_but_not_for_ever, begin),
        cmocka_unit_test_setup(test_a_key_that_was_deleted_has_no_destructor_and_no_value, begin),
        cmocka_unit_test_setup(test_there_are_as_many_keys_as_limits_h_says, begin),
        cmocka_unit_test_setup(test_no_number_of_a_key_comes_round, begin),
        cmocka_unit_test_setup(test_what_was_pushed_runs_before_the_destructors_the_last_first, begin),
        cmocka_unit_test_setup(test_a_thread_keeps_its_states_of_cancellation, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
