/* SPDX-License-Identifier: MIT */
/*
 * The bakery and the semaphore with real threads as cores. What an interleaving can do is checked exhaustively by
 * tests/model; here it is the C code, with the host's memory order, and what happens when a core is dead.
 */
#define _GNU_SOURCE
#define sched_yield libc_sched_yield /* ours is another */
#include <pthread.h>
#undef sched_yield
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <sem.h>
#include <partition/bakery_stop.h>
#include <partition/partition.h>

#define CORES  4
#define ROUNDS 100000
#define ENOUGH 1000 /* ms: whoever has the host's processors as well makes a lock that is handed over slow */

struct partition_core core;
u32 core_count = CORES;
static struct bakery bakery;
static struct semaphore sem;
static volatile u32 counter;
static pthread_barrier_t together;
static u64 end;       /* nobody begins another round */
static u32 fake_time; /* not 0: a clock that hurries, so that waiting is given up soon */

static u64 now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000 + (u64)t.tv_nsec / 1000;
}

u32 time_base(void)
{
    if (fake_time)
        return fake_time += 0x01000000;
    syscall(
        SYS_sched_yield); /* only who waits asks for the time; on a host with fewer processors the other one must run */
    return (u32)now_us(); /* LOCK_BOUND is minutes then */
}

static void *with_bakery(void *me)
{
    pthread_barrier_wait(&together);
    uintptr_t i = 0;
    do {
        assert_true(mutex_start(&bakery, (u32)(uintptr_t)me));
        counter = counter + 1;
        mutex_stop(&bakery, (u32)(uintptr_t)me);
    } while (++i < ROUNDS && now_us() < end);
    return (void *)i;
}

static void *with_semaphore(void *me)
{
    pthread_barrier_wait(&together);
    uintptr_t i = 0;
    do {
        assert_true(sem_wait(&sem, (u32)(uintptr_t)me));
        counter = counter + 1;
        assert_true(sem_signal(&sem, (u32)(uintptr_t)me));
    } while (++i < ROUNDS && now_us() < end);
    return (void *)i;
}

static void *with_nothing(void *me)
{
    pthread_barrier_wait(&together);
    uintptr_t i;
    for (i = 0; i < ROUNDS / 10; i++) { /* no fewer when it is slow: they might meet nobody */
        u32 was = counter;
        if (i % 64 == 0)
            syscall(SYS_sched_yield);
        counter = was + 1;
    }
    return (void *)i;
}

/* How many rounds they did. */
static u32 count_in_threads(void *(*run)(void *))
{
    pthread_t threads[CORES];
    u32 rounds = 0;
    counter = 0;
    end = now_us() + ENOUGH * 1000;
    pthread_barrier_init(&together, NULL, CORES);
    for (uintptr_t i = 0; i < CORES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    for (unsigned i = 0; i < CORES; i++) {
        void *did;
        pthread_join(threads[i], &did);
        rounds += (u32)(uintptr_t)did;
    }
    return rounds;
}

static int setup(void **state)
{
    bakery = (struct bakery){ 0 };
    sem = (struct semaphore){ .free = 1 };
    fake_time = 0;
    return 0;
}

static void the_bakery_loses_no_count(void **state)
{
    u32 rounds = count_in_threads(with_bakery);
    assert_int_equal(rounds, counter);
    for (unsigned i = 0; i < CORES; i++)
        assert_int_equal(bakery.word[i], 0);
}

static void the_semaphore_loses_no_count(void **state)
{
    u32 rounds = count_in_threads(with_semaphore);
    assert_int_equal(rounds, counter);
    assert_int_equal(sem.free, 1);
    assert_int_equal(sem.head, sem.tail);
}

static void without_a_lock_counts_are_lost(void **state)
{
    u32 rounds = count_in_threads(with_nothing);
    assert_true(rounds > counter); /* the test above can fail */
}

static void a_ticket_is_above_all_seen_and_unique(void **state)
{
    bakery.word[1] = 0; /* nobody */
    assert_true(mutex_start(&bakery, 2));
    assert_int_equal(bakery.word[2], 8 + 2);
    mutex_stop(&bakery, 2);
    fake_time = 1;
    bakery.word[3] = 8 * 5 + 3;
    assert_false(mutex_start(&bakery, 0)); /* would be 48, but core 3 never leaves */
    assert_int_equal(bakery.word[0], 0);
}

static void a_dead_holder_is_given_up_and_waiters_withdraw(void **state)
{
    fake_time = 1;
    assert_true(mutex_start(&bakery, 1)); /* core 1 dies here */
    assert_false(mutex_start(&bakery, 0));
    assert_false(mutex_start(&bakery, 2));
    assert_int_equal(bakery.word[0], 0);
    assert_int_equal(bakery.word[2], 0);
    bakery.word[1] = BAKERY_CHOOSING; /* and here */
    assert_false(mutex_start(&bakery, 0));
}

static void a_semaphore_whose_holder_is_dead_is_given_up(void **state)
{
    fake_time = 1;
    assert_true(sem_wait(&sem, 1));
    assert_false(sem_wait(&sem, 0));
}

static void tickets_stay_below_the_limit(void **state)
{
    fake_time = 1;
    bakery.word[3] = BAKERY_LIMIT - 8 + 3; /* the largest that there can be */
    assert_false(mutex_start(&bakery, 0)); /* steps aside, and core 3 never leaves */
    assert_int_equal(bakery.word[0], 0);
    bakery.word[3] = BAKERY_LIMIT - 24 + 3;
    assert_false(mutex_start(&bakery, 0)); /* takes a ticket and waits */
    bakery.word[3] = 0;
    assert_true(mutex_start(&bakery, 0));
    assert_int_equal(bakery.word[0], 8); /* the bakery was empty: from the start */
}

static void waiting_cores_are_served_in_order(void **state)
{
    /* cores 2 and 3 stand in the queue; core 0 signals twice */
    sem = (struct semaphore){ .free = 0, .queue = { 3, 2 }, .tail = 2 };
    assert_true(sem_signal(&sem, 0));
    assert_int_equal(sem.granted[3], 1);
    assert_int_equal(sem.granted[2], 0);
    assert_true(sem_signal(&sem, 3));
    assert_int_equal(sem.granted[2], 1);
    assert_int_equal(sem.free, 0);
    assert_true(sem_signal(&sem, 2));
    assert_int_equal(sem.free, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_bakery_loses_no_count, setup),
        cmocka_unit_test_setup(the_semaphore_loses_no_count, setup),
        cmocka_unit_test_setup(without_a_lock_counts_are_lost, setup),
        cmocka_unit_test_setup(a_ticket_is_above_all_seen_and_unique, setup),
        cmocka_unit_test_setup(a_dead_holder_is_given_up_and_waiters_withdraw, setup),
        cmocka_unit_test_setup(a_semaphore_whose_holder_is_dead_is_given_up, setup),
        cmocka_unit_test_setup(tickets_stay_below_the_limit, setup),
        cmocka_unit_test_setup(waiting_cores_are_served_in_order, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
