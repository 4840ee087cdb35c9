/* SPDX-License-Identifier: MIT */
/* test_user_semaphores.c - POSIX semaphores of processes: a hook ends sleeps, or holds one thread while another goes
 * on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>

#include "counter.h"
#include "thread.h"
#include "userlib.h"

void console_leave(void) {}
_Noreturn void exit(int status);
_Noreturn void exit(int status)
{
    fail_msg("the process ended with %d", status);
    __builtin_unreachable();
}

#define FAILS(call, error)                                                                                             \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        assert_true((call) == -1);                                                                                     \
        assert_int_equal(errno, error);                                                                                \
    } while (0)

static sem_t *semaphore; /* on a page of its own */
static const struct timespec past = { 0, 0 }, no_time = { 0, 1000000000 };

static int make(void **state)
{
    host_begin();
    semaphore = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(semaphore != MAP_FAILED);
    assert_int_equal(sem_init(semaphore, 0, 0), 0);
    return 0;
}

static int end(void **state)
{
    host_before = NULL;
    return munmap(semaphore, PAGE);
}

static int value(void)
{
    int n = -1;
    assert_int_equal(sem_getvalue(semaphore, &n), 0);
    return n;
}

static void test_a_semaphore_counts(void **state)
{
    FAILS(sem_init(semaphore, 0, SEM_VALUE_MAX + 1u), EINVAL);
    assert_int_equal(sem_init(semaphore, 1, 2), 0);
    assert_int_equal(sem_wait(semaphore), 0);
    assert_int_equal(sem_timedwait(semaphore, &no_time), 0); /* the time is not looked at */
    assert_int_equal(value(), 0);
    FAILS(sem_trywait(semaphore), EAGAIN);
    FAILS(sem_timedwait(semaphore, &no_time), EINVAL);
    FAILS(sem_timedwait(semaphore, &past), ETIMEDOUT);
    FAILS(sem_clockwait(semaphore, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    FAILS(sem_clockwait(semaphore, 77, &past), EINVAL);
    assert_int_equal(sem_post(semaphore), 0);
    assert_int_equal(sem_trywait(semaphore), 0);
    assert_int_equal(sem_init(semaphore, 0, SEM_VALUE_MAX), 0);
    FAILS(sem_post(semaphore), EOVERFLOW);
    assert_int_equal(value(), SEM_VALUE_MAX);
    assert_int_equal(sem_destroy(semaphore), 0);
}

/* --- ends of sleeps ---------------------------------------------------------------------------------------------- */

static int64_t sleep_result;
static unsigned posts, sleeps, ignored; /* signals that come first and have no handler */
static bool end_sleep(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number != AMALGAM_WAIT)
        return false;
    sleeps++;
    assert_true(semaphore->word == COUNTER_SLEEPER && sem_destroy(semaphore) == -1 && errno == EBUSY);
    while (posts) {
        posts--;
        sem_post(semaphore);
    }
    *result = sleep_result;
    thread_self()->signals.handled += sleeps > ignored;
    return true;
}

static void sleep_and(int64_t result, unsigned n)
{
    sleep_result = result;
    posts = n;
    sleeps = 0;
    host_before = end_sleep;
}

static void test_a_signal_ends_a_wait(void **state)
{
    sleep_and(-AMALGAM_EINTR, 0);
    ignored = 3;
    FAILS(sem_wait(semaphore), EINTR);
    assert_int_equal(sleeps, 4);
    ignored = sleeps = 0;
    FAILS(sem_clockwait(semaphore, CLOCK_MONOTONIC, &past), EINTR);
    assert_int_equal(sleeps, 1);
    assert_int_equal(semaphore->word, 0); /* nobody is counted */
}

static void test_one_that_was_posted_is_taken_though_a_signal_or_the_time_ended_the_sleep(void **state)
{
    sleep_and(-AMALGAM_EINTR, 1);
    assert_int_equal(sem_wait(semaphore), 0);
    sleep_and(-AMALGAM_ETIMEDOUT, 2);
    assert_int_equal(sem_timedwait(semaphore, &past), 0);
    assert_int_equal(semaphore->word, 1);
}

/* --- the last touch ---------------------------------------------------------------------------------------------- */

static bool no_page_is_left(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number != AMALGAM_WAKE)
        return false;
    assert_int_equal(mprotect(semaphore, PAGE, PROT_NONE), 0);
    *result = 0;
    return true;
}

static void test_a_post_touches_nothing_after_it(void **state)
{
    semaphore->word = COUNTER_SLEEPER;
    host_before = no_page_is_left;
    assert_int_equal(sem_post(semaphore), 0);
    assert_int_equal(mprotect(semaphore, PAGE, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(semaphore->word, COUNTER_SLEEPER + 1);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static void test_a_named_semaphore_is_one_until_its_last_close(void **state)
{
    char long_name[NAME_MAX + 2];
    memset(long_name, 'x', NAME_MAX + 1);
    long_name[NAME_MAX + 1] = 0;
    assert_true(sem_open("/a", 0) == SEM_FAILED && errno == ENOENT);
    assert_true(sem_open(long_name, O_CREAT, 0600, 1) == SEM_FAILED && errno == ENAMETOOLONG);
    assert_true(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    assert_true(sem_open("/a", O_CREAT, 0600, SEM_VALUE_MAX + 1u) == SEM_FAILED && errno == EINVAL);
    sem_t *a = sem_open("/a", O_CREAT | O_EXCL, 0600, 3);
    assert_true(a != SEM_FAILED && sem_trywait(a) == 0);
    assert_true(sem_open("/a", O_CREAT | O_EXCL, 0600, 3) == SEM_FAILED && errno == EEXIST);
    assert_ptr_equal(sem_open("a", O_CREAT, 0600, 7), a);
    assert_int_equal(sem_close(a), 0);
    assert_int_equal(sem_unlink("/a"), 0);
    FAILS(sem_unlink("/a"), ENOENT);
    FAILS(sem_unlink(long_name), ENAMETOOLONG);
    sem_t *other = sem_open("/a", O_CREAT, 0600, 0);
    assert_true(other != a && sem_trywait(a) == 0 && sem_trywait(a) == 0); /* still 3 less one */
    assert_int_equal(sem_close(a), 0);
    FAILS(sem_close(a), EINVAL);
    assert_int_equal(sem_close(other), 0);
    assert_ptr_equal(sem_open("/a", 0), other); /* it stays until it is unlinked */
    assert_int_equal(sem_unlink("a"), 0);
    assert_int_equal(sem_close(other), 0);
    FAILS(sem_close(semaphore), EINVAL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_semaphore_counts),
        CASE(test_a_signal_ends_a_wait),
        CASE(test_one_that_was_posted_is_taken_though_a_signal_or_the_time_ended_the_sleep),
        CASE(test_a_post_touches_nothing_after_it),
        CASE(test_a_named_semaphore_is_one_until_its_last_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
