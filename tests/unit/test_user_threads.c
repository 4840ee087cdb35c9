/* SPDX-License-Identifier: MIT */
/* test_user_threads.c - POSIX threads of processes where they meet: a hook holds one thread while the other goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "thread.h"
#include "userlib.h"

#define OWN_STACK 32768u

void console_leave(void) {}
_Noreturn void exit(int status);
_Noreturn void exit(int status)
{
    fail_msg("the process ended with %d", status);
    __builtin_unreachable();
}

static void *leave(void *arg) { return arg; }

/* --- the creator ------------------------------------------------------------------------------------------------- */

static void *gone;

/* The new thread runs to its end, and its memory is nobody's any more, before its creator goes on. */
static bool end_it_first(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number != AMALGAM_THREAD_CREATE)
        return false;
    gone = ((struct amalgam_thread *)a[3])->memory;
    *result = host_carry_out(number, a);
    host_await_end();
    assert_int_equal(mprotect(gone, OWN_STACK, PROT_NONE), 0);
    assert_int_equal(mprotect((char *)gone + OWN_STACK, PAGE, PROT_NONE), 0);
    return true;
}

static void test_a_creator_reads_nothing_of_a_thread_that_may_have_ended(void **state)
{
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, OWN_STACK);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    host_before = end_it_first;
    assert_int_equal(pthread_create(&thread, &attr, leave, NULL), 0);
    host_before = NULL;
    assert_int_equal(mprotect(gone, OWN_STACK + PAGE, PROT_READ | PROT_WRITE), 0);
}

/* --- ends -------------------------------------------------------------------------------------------------------- */

static void test_a_thread_is_joined_once(void **state)
{
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, leave, &thread), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &thread);
    assert_int_equal(pthread_join(thread, NULL), ESRCH);
    assert_int_equal(pthread_detach(thread), ESRCH);
    assert_int_equal(pthread_create(&thread, NULL, leave, NULL), 0);
    assert_int_equal(pthread_detach(thread), 0);
}

static uint32_t step;
static void reach(uint32_t n) { __atomic_store_n(&step, n, __ATOMIC_SEQ_CST); }
static void await(uint32_t n)
{
    while (__atomic_load_n(&step, __ATOMIC_SEQ_CST) < n)
        sched_yield();
}

static void *await_one(void *arg)
{
    await(1);
    return arg;
}

static void *join_it(void *arg) { return (void *)(intptr_t)pthread_join(arg, NULL); }

static void test_a_thread_that_is_being_joined_or_detached_is_not_joined(void **state)
{
    pthread_t thread, joiner;
    void *result;
    reach(0);
    assert_int_equal(pthread_create(&thread, NULL, await_one, NULL), 0);
    assert_int_equal(pthread_create(&joiner, NULL, join_it, thread), 0);
    while (!(__atomic_load_n(&thread->fate, __ATOMIC_SEQ_CST) & THREAD_JOINED))
        sched_yield();
    assert_int_equal(pthread_join(thread, NULL), EINVAL);
    assert_int_equal(pthread_detach(thread), EINVAL);
    reach(1);
    assert_int_equal(pthread_join(joiner, &result), 0);
    assert_null(result);
    reach(0);
    assert_int_equal(pthread_create(&thread, NULL, await_one, NULL), 0);
    assert_int_equal(pthread_detach(thread), 0);
    assert_int_equal(pthread_join(thread, NULL), EINVAL);
    reach(1);
    host_await_end();
    assert_int_equal(pthread_detach(thread), ESRCH);
}

static unsigned no_memory, unmapped;
static bool have_no_memory(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    unmapped += number == AMALGAM_UNMAP;
    if (number != AMALGAM_MAP || unmapped)
        return false;
    no_memory++;
    *result = -AMALGAM_ENOMEM;
    return true;
}

/* Two threads have left their blocks, which are kept; then all memory is in use. */
static void leave_two_blocks(void)
{
    pthread_t thread[2];
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, leave, NULL), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    no_memory = unmapped = 0;
    host_before = have_no_memory;
}

static void test_blocks_that_are_kept_are_given_back_before_malloc_fails(void **state)
{
    leave_two_blocks();
    heap_begin(0x10000, 0x20000);
    assert_ptr_equal(sbrk(100), 0x10000);
    assert_true(no_memory && unmapped >= 2);
    assert_ptr_equal(sbrk(0x20000), (void *)-1);
    assert_int_equal(errno, ENOMEM);
}

static void test_blocks_that_are_kept_are_given_back_before_a_thread_is_refused(void **state)
{
    pthread_t thread;
    pthread_attr_t attr;
    leave_two_blocks();
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, OWN_STACK);
    assert_int_equal(pthread_create(&thread, &attr, leave, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(no_memory == 1 && unmapped >= 2);
}

static int end(void **state)
{
    host_before = NULL;
    return 0;
}

/* --- sleeps ------------------------------------------------------------------------------------------------------ */

/* A signal comes after 3.5 seconds, and a handler runs. */
static uint64_t clock_now;
static bool end_after_a_while(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    *result = number == AMALGAM_CLOCK ? (int64_t)clock_now : -AMALGAM_EINTR;
    if (number == AMALGAM_SLEEP_UNTIL) {
        clock_now += 3500000000ull;
        thread_self()->signals.handled++;
    }
    return number == AMALGAM_CLOCK || number == AMALGAM_SLEEP_UNTIL;
}

static void test_a_signal_ends_a_sleep_which_says_what_is_left(void **state)
{
    struct timespec ten = { 10, 0 }, three = { 3, 0 }, left = { 7, 7 };
    host_before = end_after_a_while;
    errno = 0;
    assert_int_equal(nanosleep(&ten, &left), -1);
    assert_true(errno == EINTR && left.tv_sec == 6 && left.tv_nsec == 500000000);
    assert_int_equal(nanosleep(&ten, &ten), -1);
    assert_true(ten.tv_sec == 6 && ten.tv_nsec == 500000000);
    assert_int_equal(nanosleep(&three, &left), 0); /* the signal was later */
    assert_true(left.tv_sec == 0 && left.tv_nsec == 0);
    assert_int_equal(sleep(10), 7);
    assert_int_equal(sleep(3), 0);
    errno = 0;
    assert_true(usleep(4000000) == -1 && errno == EINTR);
    assert_int_equal(usleep(3000000), 0);
}

/* --- conditions -------------------------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *condition; /* on a page of its own, which may become nobody's */

static int make_condition(void **state)
{
    host_begin();
    condition = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(condition != MAP_FAILED);
    pthread_cond_init(condition, NULL);
    step = 0;
    return 0;
}

static int free_condition(void **state)
{
    host_before = NULL;
    return munmap(condition, PAGE);
}

/* Broadcast, then destroy and free: nobody waits. */
static void free_after_broadcast(void)
{
    pthread_cond_broadcast(condition);
    assert_int_equal(pthread_cond_destroy(condition), 0);
    assert_int_equal(mprotect(condition, PAGE, PROT_NONE), 0);
}

static void *wait_for_a_time(void *arg)
{
    struct timespec past = { 0, 0 };
    pthread_mutex_lock(&mutex);
    intptr_t error = pthread_cond_timedwait(condition, &mutex, &past);
    pthread_mutex_unlock(&mutex);
    return (void *)error;
}

/* The waiter's time is up, and it is stopped before it does anything. */
static bool stop_when_late(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number != AMALGAM_WAIT || a[2] == AMALGAM_NEVER)
        return false;
    *result = -AMALGAM_ETIMEDOUT;
    reach(1);
    await(2);
    return true;
}

static void test_a_waiter_that_is_late_leaves_a_condition_that_was_freed_alone(void **state)
{
    pthread_t thread;
    void *error;
    host_before = stop_when_late;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_a_time, NULL), 0);
    await(1);
    free_after_broadcast();
    reach(2);
    assert_int_equal(pthread_join(thread, &error), 0);
    assert_int_equal((intptr_t)error, 0); /* it was woken */
}

/* The waiter is late and wants the condition's lock, which the test holds at first; the waker gets it before. */
static _Thread_local bool is_late;
static bool stop_while_leaving(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number != AMALGAM_WAIT)
        return false;
    *result = -AMALGAM_EAGAIN;
    if (a[2] != AMALGAM_NEVER) {
        is_late = true;
        *result = -AMALGAM_ETIMEDOUT;
        __atomic_store_n(&condition->lock, 2, __ATOMIC_SEQ_CST);
        return true;
    }
    if (!is_late) { /* the waker, for the word of who leaves: it is not through */
        reach(2);
        return false;
    }
    if (a[0] == (uintptr_t)&condition->lock) {
        reach(1);
        await(2);
    }
    return true;
}

static void test_a_waker_waits_for_who_leaves(void **state)
{
    pthread_t thread;
    void *error;
    host_before = stop_while_leaving;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_a_time, NULL), 0);
    await(1);
    __atomic_store_n(&condition->lock, 0, __ATOMIC_SEQ_CST);
    free_after_broadcast();
    assert_int_equal(step, 2);
    assert_int_equal(pthread_join(thread, &error), 0);
    assert_int_equal((intptr_t)error, ETIMEDOUT);
}

static bool touched;
static bool note_a_sleep(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number == AMALGAM_WAIT && a[0] == (uintptr_t)&condition->lock) {
        touched = true;
        __atomic_store_n(&condition->lock, 0, __ATOMIC_SEQ_CST);
    }
    return false;
}

static void test_who_holds_no_mutex_enters_no_list_of_waiters(void **state)
{
    pthread_mutex_t strict;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&strict, &kind);
    condition->lock = 2;
    touched = false;
    host_before = note_a_sleep;
    assert_int_equal(pthread_cond_wait(condition, &strict), EPERM);
    assert_false(touched);
}

static int begin(void **state)
{
    host_begin();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_creator_reads_nothing_of_a_thread_that_may_have_ended, begin),
        cmocka_unit_test_setup(test_a_thread_is_joined_once, begin),
        cmocka_unit_test_setup(test_a_thread_that_is_being_joined_or_detached_is_not_joined, begin),
        cmocka_unit_test_setup_teardown(test_blocks_that_are_kept_are_given_back_before_malloc_fails, begin, end),
        cmocka_unit_test_setup_teardown(test_blocks_that_are_kept_are_given_back_before_a_thread_is_refused, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_a_signal_ends_a_sleep_which_says_what_is_left, begin, end),
        cmocka_unit_test_setup_teardown(test_a_waiter_that_is_late_leaves_a_condition_that_was_freed_alone,
                                        make_condition, free_condition),
        cmocka_unit_test_setup_teardown(test_a_waker_waits_for_who_leaves, make_condition, free_condition),
        cmocka_unit_test_setup_teardown(test_who_holds_no_mutex_enters_no_list_of_waiters, make_condition,
                                        free_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
