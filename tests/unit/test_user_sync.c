/* SPDX-License-Identifier: MIT */
/* test_user_sync.c - locks for readers and writers, barriers, locks that spin, and attributes of processes' threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "thread.h"
#include "userlib.h"

void console_leave(void) {}
_Noreturn void exit(int status);
_Noreturn void exit(int status)
{
    fail_msg("the process ended with %d", status);
    __builtin_unreachable();
}

static const struct timespec past = { 0, 0 }, no_time = { 0, -1 };
static uint32_t step;
static void reach(uint32_t n) { __atomic_store_n(&step, n, __ATOMIC_SEQ_CST); }
static void await(const uint32_t *word, uint32_t n)
{
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) < n)
        sched_yield();
}

static int begin(void **state)
{
    host_begin();
    host_before = NULL;
    reach(0);
    return 0;
}

static pthread_t start(void *(*function)(void *), void *arg)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, arg), 0);
    return thread;
}

static intptr_t end_of(pthread_t thread)
{
    void *result;
    assert_int_equal(pthread_join(thread, &result), 0);
    return (intptr_t)result;
}

/* --- read-write locks -------------------------------------------------------------------------------------------- */

static pthread_rwlock_t rw;

static int begin_rw(void **state)
{
    begin(state);
    return pthread_rwlock_init(&rw, NULL);
}

static int no_rw(void **state) { return pthread_rwlock_destroy(&rw); }

/* Wait until as many threads wait; under the lock's own lock, as they count themselves. */
static void await_waiters(uint32_t readers, uint32_t writers)
{
    bool all = false;
    while (!all) {
        pthread_mutex_lock(&rw.lock);
        all = rw.waiting_readers == readers && rw.waiting_writers == writers;
        pthread_mutex_unlock(&rw.lock);
    }
}

static void *write_one(void *order)
{
    assert_int_equal(pthread_rwlock_wrlock(&rw), 0);
    intptr_t place = (*(uint32_t *)order)++;
    assert_int_equal(pthread_rwlock_unlock(&rw), 0);
    return (void *)place;
}

static void *read_one(void *order)
{
    assert_int_equal(pthread_rwlock_rdlock(&rw), 0);
    intptr_t place = __atomic_fetch_add((uint32_t *)order, 1, __ATOMIC_SEQ_CST);
    assert_int_equal(pthread_rwlock_unlock(&rw), 0);
    return (void *)place;
}

static void test_many_read_or_one_writes(void **state)
{
    assert_int_equal(pthread_rwlock_rdlock(&rw), 0);
    assert_int_equal(pthread_rwlock_tryrdlock(&rw), 0);
    assert_int_equal(pthread_rwlock_trywrlock(&rw), EBUSY);
    assert_int_equal(pthread_rwlock_timedwrlock(&rw, &past), ETIMEDOUT);
    assert_int_equal(pthread_rwlock_timedwrlock(&rw, &no_time), EINVAL);
    assert_int_equal(pthread_rwlock_clockwrlock(&rw, 77, &past), EINVAL);
    assert_int_equal(pthread_rwlock_destroy(&rw), EBUSY);
    assert_int_equal(pthread_rwlock_unlock(&rw), 0);
    assert_int_equal(pthread_rwlock_unlock(&rw), 0);
    assert_int_equal(pthread_rwlock_unlock(&rw), EINVAL);
    assert_int_equal(pthread_rwlock_wrlock(&rw), 0);
    assert_int_equal(pthread_rwlock_wrlock(&rw), EDEADLK);
    assert_int_equal(pthread_rwlock_rdlock(&rw), EDEADLK);
    assert_int_equal(pthread_rwlock_trywrlock(&rw), EBUSY);
    assert_int_equal(pthread_rwlock_tryrdlock(&rw), EBUSY);
    assert_int_equal(pthread_rwlock_unlock(&rw), 0);
}

static void test_a_writer_that_waits_goes_before_readers_that_come_later(void **state)
{
    uint32_t order = 0;
    pthread_rwlock_rdlock(&rw);
    pthread_t writer = start(write_one, &order);
    await_waiters(0, 1);
    assert_int_equal(pthread_rwlock_tryrdlock(&rw), EBUSY);
    pthread_t reader = start(read_one, &order);
    await_waiters(1, 1);
    pthread_rwlock_unlock(&rw);
    assert_int_equal(end_of(writer), 0);
    assert_int_equal(end_of(reader), 1);
}

static void test_readers_that_wait_go_before_the_next_writer(void **state)
{
    uint32_t order = 0;
    pthread_rwlock_wrlock(&rw);
    pthread_t writer = start(write_one, &order);
    await_waiters(0, 1);
    pthread_t readers[2] = { start(read_one, &order), start(read_one, &order) };
    await_waiters(2, 1);
    pthread_rwlock_unlock(&rw);
    assert_true(end_of(readers[0]) < 2 && end_of(readers[1]) < 2);
    assert_int_equal(end_of(writer), 2);
}

static void *write_for_a_while(void *arg)
{
    struct timespec soon;
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_sec += 1;
    return (void *)(intptr_t)pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &soon);
}

static void test_readers_are_let_in_when_the_last_writer_gives_up(void **state)
{
    uint32_t order = 0;
    pthread_rwlock_rdlock(&rw);
    pthread_t writer = start(write_for_a_while, NULL);
    await_waiters(0, 1);
    assert_int_equal(pthread_rwlock_timedrdlock(&rw, &past), ETIMEDOUT); /* behind the writer */
    pthread_t reader = start(read_one, &order);
    assert_int_equal(end_of(writer), ETIMEDOUT);
    assert_int_equal(end_of(reader), 0);
    pthread_rwlock_unlock(&rw);
}

static void *unlock_it(void *arg) { return (void *)(intptr_t)pthread_rwlock_unlock(&rw); }

static void test_another_threads_lock_for_writing_is_not_unlocked(void **state)
{
    pthread_rwlock_wrlock(&rw);
    assert_int_equal(end_of(start(unlock_it, NULL)), EPERM);
    pthread_rwlock_unlock(&rw);
}

/* --- barriers ---------------------------------------------------------------------------------------------------- */

static pthread_barrier_t *barrier; /* on a page of its own */

static int make_barrier(void **state)
{
    begin(state);
    barrier = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(barrier != MAP_FAILED);
    return 0;
}

static int free_barrier(void **state)
{
    host_before = NULL;
    return munmap(barrier, PAGE);
}

static void *meet(void *arg) { return (void *)(intptr_t)pthread_barrier_wait(barrier); }

static void test_one_of_those_who_meet_is_told_so(void **state)
{
    assert_int_equal(pthread_barrier_init(barrier, NULL, 0), EINVAL);
    assert_int_equal(pthread_barrier_init(barrier, NULL, 3), 0);
    for (unsigned round = 0; round < 5; round++) {
        pthread_t others[2] = { start(meet, NULL), start(meet, NULL) };
        assert_int_equal(pthread_barrier_wait(barrier) + end_of(others[0]) + end_of(others[1]),
                         PTHREAD_BARRIER_SERIAL_THREAD);
    }
    pthread_t waiting[2] = { start(meet, NULL), start(meet, NULL) };
    pthread_mutex_lock(&barrier->lock);
    while (barrier->arrived < 2) {
        pthread_mutex_unlock(&barrier->lock);
        sched_yield();
        pthread_mutex_lock(&barrier->lock);
    }
    pthread_mutex_unlock(&barrier->lock);
    assert_int_equal(pthread_barrier_destroy(barrier), EBUSY);
    assert_int_equal(pthread_barrier_wait(barrier), PTHREAD_BARRIER_SERIAL_THREAD);
    assert_int_equal(end_of(waiting[0]) + end_of(waiting[1]), 0);
    assert_int_equal(pthread_barrier_destroy(barrier), 0);
}

/* The thread that was woken is stopped before it takes the barrier's mutex again; the last one sleeps in destroy(). */
static _Thread_local bool leaves;
static bool stop_who_leaves(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number != AMALGAM_WAIT)
        return false;
    if (leaves) {
        *result = host_carry_out(number, a);
        reach(1);
        await(&step, 2);
        return true;
    }
    reach(2); /* destroy() waits for who leaves */
    return false;
}

static void *meet_and_be_stopped(void *arg)
{
    leaves = true;
    return meet(arg);
}

static void test_a_barrier_is_destroyed_when_all_have_left(void **state)
{
    assert_int_equal(pthread_barrier_init(barrier, NULL, 2), 0);
    host_before = stop_who_leaves;
    pthread_t other = start(meet_and_be_stopped, NULL);
    pthread_mutex_lock(&barrier->lock);
    while (!barrier->arrived) {
        pthread_mutex_unlock(&barrier->lock);
        sched_yield();
        pthread_mutex_lock(&barrier->lock);
    }
    pthread_mutex_unlock(&barrier->lock);
    assert_int_equal(pthread_barrier_wait(barrier), PTHREAD_BARRIER_SERIAL_THREAD);
    await(&step, 1);
    assert_int_equal(pthread_barrier_destroy(barrier), 0);
    assert_int_equal(step, 2);
    assert_int_equal(mprotect(barrier, PAGE, PROT_NONE), 0);
    assert_int_equal(end_of(other), 0);
}

/* --- the others -------------------------------------------------------------------------------------------------- */

static pthread_spinlock_t spin;
static void *spin_once(void *arg)
{
    reach(1);
    assert_int_equal(pthread_spin_lock(&spin), 0);
    assert_int_equal(step, 2);
    return (void *)(intptr_t)pthread_spin_unlock(&spin);
}

static void test_a_lock_that_spins(void **state)
{
    assert_int_equal(pthread_spin_init(&spin, 77), EINVAL);
    assert_int_equal(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
    assert_int_equal(pthread_spin_lock(&spin), 0);
    assert_int_equal(pthread_spin_lock(&spin), EDEADLK);
    assert_int_equal(pthread_spin_trylock(&spin), EBUSY);
    assert_int_equal(pthread_spin_destroy(&spin), EBUSY);
    pthread_t other = start(spin_once, NULL);
    await(&step, 1);
    reach(2);
    assert_int_equal(pthread_spin_unlock(&spin), 0);
    assert_int_equal(end_of(other), 0);
    assert_int_equal(pthread_spin_destroy(&spin), 0);
}

/* The time of a wait, which is then over. */
static uint64_t slept_until;
static bool note_deadline(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number == AMALGAM_INFO && a[0] == AMALGAM_INFO_EPOCH) {
        *result = 4000000000;
        return true;
    }
    if (number != AMALGAM_WAIT || a[2] == AMALGAM_NEVER)
        return false;
    slept_until = a[2];
    *result = -AMALGAM_ETIMEDOUT;
    return true;
}

static void test_a_condition_goes_by_the_clock_of_its_attribute(void **state)
{
    pthread_cond_t c;
    pthread_condattr_t attr;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    const struct timespec five = { 5, 0 };
    clockid_t clock;
    host_before = note_deadline;
    assert_int_equal(pthread_condattr_init(&attr), 0);
    assert_int_equal(pthread_condattr_getclock(&attr, &clock), 0);
    assert_int_equal(clock, CLOCK_REALTIME);
    pthread_mutex_lock(&m);
    pthread_cond_init(&c, &attr);
    assert_int_equal(pthread_cond_timedwait(&c, &m, &five), ETIMEDOUT);
    assert_int_equal(slept_until, 1000000000);
    assert_int_equal(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC), 0);
    assert_int_equal(pthread_condattr_setclock(&attr, 77), EINVAL);
    pthread_cond_init(&c, &attr);
    assert_int_equal(pthread_cond_timedwait(&c, &m, &five), ETIMEDOUT);
    assert_int_equal(slept_until, 5000000000);
    assert_int_equal(pthread_cond_clockwait(&c, &m, CLOCK_REALTIME, &five), ETIMEDOUT);
    assert_int_equal(slept_until, 1000000000);
    assert_int_equal(pthread_cond_clockwait(&c, &m, 77, &five), EINVAL);
    assert_int_equal(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &five), ETIMEDOUT);
    assert_int_equal(slept_until, 5000000000);
}

static void test_attributes_are_kept_or_refused(void **state)
{
    int value;
    pthread_mutexattr_t mutex;
    pthread_rwlockattr_t lock;
    pthread_mutexattr_init(&mutex);
    assert_true(pthread_mutexattr_getpshared(&mutex, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
    assert_int_equal(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED), 0);
    assert_true(pthread_mutexattr_getpshared(&mutex, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert_int_equal(pthread_mutexattr_setpshared(&mutex, -1), EINVAL);
    assert_int_equal(pthread_mutexattr_setrobust(&mutex, 77), EINVAL);
    assert_int_equal(pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST), 0);
    assert_true(pthread_mutexattr_getrobust(&mutex, &value) == 0 && value == PTHREAD_MUTEX_ROBUST);
    assert_int_equal(pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT), 0);
    assert_true(pthread_mutexattr_getprotocol(&mutex, &value) == 0 && value == PTHREAD_PRIO_INHERIT);
    assert_int_equal(pthread_mutexattr_setprotocol(&mutex, 77), ENOTSUP);
    assert_int_equal(pthread_mutexattr_setprioceiling(&mutex, 1), EINVAL);
    pthread_rwlockattr_init(&lock);
    assert_int_equal(pthread_rwlockattr_setpshared(&lock, 2), EINVAL);
    assert_true(pthread_rwlockattr_getpshared(&lock, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);
}

static uintptr_t created_with;
static bool note_stack(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number == AMALGAM_THREAD_CREATE)
        created_with = a[1];
    return false;
}

static void *leave(void *arg) { return arg; }

static void test_a_thread_gets_the_stack_that_it_was_given(void **state)
{
    static char stack[32768] __attribute__((aligned(16)));
    pthread_t thread;
    pthread_attr_t attr;
    void *at;
    size_t size;
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstack(&attr, stack, PTHREAD_STACK_MIN - 16), EINVAL);
    assert_int_equal(pthread_attr_setstack(&attr, stack, 16384), 0);
    assert_int_equal(pthread_attr_getstack(&attr, &at, &size), 0);
    assert_true(at == stack && size == 16384);
    assert_int_equal(pthread_attr_setguardsize(&attr, PAGE + 1), EINVAL);
    host_before = note_stack;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, &attr, leave, stack), 0);
        assert_true(created_with > (uintptr_t)stack + 16384 - 64 && created_with <= (uintptr_t)stack + 16384);
        assert_ptr_equal(end_of(thread), stack);
    }
}

static void *ask(void *attr) { return (void *)(intptr_t)pthread_getattr_np(pthread_self(), attr); }

static void test_a_thread_is_told_where_its_stack_is(void **state)
{
    pthread_t thread;
    pthread_attr_t attr, found;
    void *stack;
    size_t size;
    assert_int_equal(pthread_getattr_np(pthread_self(), &found), ENOTSUP);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 32768);
    host_before = note_stack;
    assert_int_equal(pthread_create(&thread, &attr, ask, &found), 0);
    assert_int_equal(end_of(thread), 0);
    assert_int_equal(pthread_attr_getstack(&found, &stack, &size), 0);
    assert_true(size == 32768 && created_with > (uintptr_t)stack && created_with <= (uintptr_t)stack + size);
    assert_true(created_with > (uintptr_t)stack + size - 64 && found.detached == PTHREAD_CREATE_JOINABLE);
}

#define RW(name)      cmocka_unit_test_setup_teardown(name, begin_rw, no_rw)
#define BARRIER(name) cmocka_unit_test_setup_teardown(name, make_barrier, free_barrier)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RW(test_many_read_or_one_writes),
        RW(test_a_writer_that_waits_goes_before_readers_that_come_later),
        RW(test_readers_that_wait_go_before_the_next_writer),
        RW(test_readers_are_let_in_when_the_last_writer_gives_up),
        RW(test_another_threads_lock_for_writing_is_not_unlocked),
        BARRIER(test_one_of_those_who_meet_is_told_so),
        BARRIER(test_a_barrier_is_destroyed_when_all_have_left),
        cmocka_unit_test_setup(test_a_lock_that_spins, begin),
        cmocka_unit_test_setup(test_a_condition_goes_by_the_clock_of_its_attribute, begin),
        cmocka_unit_test_setup(test_attributes_are_kept_or_refused, begin),
        cmocka_unit_test_setup(test_a_thread_gets_the_stack_that_it_was_given, begin),
        cmocka_unit_test_setup(test_a_thread_is_told_where_its_stack_is, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
