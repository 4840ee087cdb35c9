/* SPDX-License-Identifier: MIT */
/* Handles: who has which object with which rights, and what is true when a withdrawal has returned. Cores are host
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/frames.h>
#include <errors.h>
#include <generated/handle_calls.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "handle/handle.h"
#include "process/part.h"

__thread struct cpu *host_core;
static const struct sys_header header;
const struct sys_header *system_table = &header;

static struct domain domain[2];
static struct process process[2];
static struct process_thread thread[2] = { { .process = &process[0] }, { .process = &process[1] } };

static unsigned ends, closes, closed_index;
static struct process_thread *ended_for;
static u32 closed_rights;
static u32 users_at_end;
static void withdrawn(struct handle_object *o, struct process_thread *self)
{
    ends++;
    ended_for = self;
    users_at_end = o->users;
}
static void closed(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights)
{
    closes++;
    closed_index = index;
    closed_rights = rights;
}
static const struct handle_ops ops = { .withdrawn = withdrawn, .closed = closed };
static struct handle_object device, plain;

void *pages_alloc(u64 pages)
{
    void *memory = aligned_alloc(PAGE_SIZE, pages * PAGE_SIZE);
    return memset(memory, 0, pages * PAGE_SIZE);
}

/* The boot makes tables once, and each test is a run of both processes. */
static int begin(void **state)
{
    device = (struct handle_object){ .kind = HANDLE_DEVICE, .ops = &ops };
    plain = (struct handle_object){ .kind = HANDLE_BLOCK, .size = 4096 };
    ends = closes = 0;
    for (unsigned i = 0; i < 2; i++) {
        domain[i].id = 3 * i + 1;
        process[i].domain = &domain[i];
        process[i].n_channels = 0;
        assert_int_equal(process_parts(&process[i], PROCESS_BEGINS), 0);
    }
    return 0;
}

static int end(void **state)
{
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(process_parts(&process[i], PROCESS_ENDS), 0);
    return 0;
}

static int take(unsigned p, unsigned index, enum handle_kind kind, u32 rights)
{
    struct handle_object *o = NULL;
    int err = handle_take(&process[p], index, kind, rights, &o);
    if (err)
        return err;
    assert_true(o == (kind == HANDLE_DEVICE ? &device : &plain));
    assert_int_equal(o->users, 1);
    handle_put(o);
    assert_int_equal(o->users, 0);
    return 0;
}

static void test_a_handle_is_good_for_its_object_its_process_and_its_rights(void **state)
{
    assert_int_equal(handle_give(&process[0], &device, HANDLE_READ | HANDLE_SEND), 0);
    assert_int_equal(handle_give(&process[0], &plain, HANDLE_WRITE), 1);
    assert_int_equal(take(0, 0, HANDLE_DEVICE, HANDLE_READ), 0);
    assert_int_equal(take(0, 0, HANDLE_DEVICE, 0), 0);
    assert_int_equal(take(0, 0, HANDLE_DEVICE, HANDLE_READ | HANDLE_WRITE), -EACCES);
    assert_int_equal(device.users, 0);
    assert_int_equal(take(0, 0, HANDLE_BLOCK, 0), -EINVAL);
    assert_int_equal(take(0, 1, HANDLE_BLOCK, HANDLE_WRITE), 0);
    assert_int_equal(take(0, 2, HANDLE_BLOCK, 0), -EBADF);
    assert_int_equal(take(0, HANDLES, HANDLE_BLOCK, 0), -EBADF);
    assert_int_equal(take(0, ~0u, HANDLE_BLOCK, 0), -EBADF);
    assert_int_equal(take(1, 0, HANDLE_DEVICE, 0), -EBADF);
}

static void test_a_withdrawn_object_answers_stale_to_each_of_its_handles(void **state)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(handle_give(&process[i], &device, HANDLE_READ), n);
    assert_int_equal(handle_give(&process[1], &plain, HANDLE_READ), 3);
    handle_withdraw(&device, &thread[1]);
    assert_int_equal(ends, 1);
    assert_true(ended_for == &thread[1]);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned n = 0; n < 3; n++) {
            assert_int_equal(take(i, n, HANDLE_DEVICE, HANDLE_READ), -ESTALE);
            assert_int_equal(take(i, n, HANDLE_DEVICE, HANDLE_WRITE), -ESTALE);
            assert_int_equal(handle_call_handle_info(&thread[i].user, n, HANDLE_CALL_HANDLE_INFO_VALID), 0);
        }
    assert_int_equal(take(1, 3, HANDLE_BLOCK, HANDLE_READ), 0);
    /* Given anew it is a handle of its own; the old ones stay what they are. */
    assert_int_equal(handle_give(&process[0], &device, HANDLE_READ), 3);
    assert_int_equal(take(0, 3, HANDLE_DEVICE, HANDLE_READ), 0);
    assert_int_equal(take(0, 0, HANDLE_DEVICE, HANDLE_READ), -ESTALE);
}

static void test_an_object_whose_generations_are_spent_is_given_to_nobody(void **state)
{
    device.generation = HANDLE_SPENT - 1;
    assert_int_equal(handle_give(&process[0], &device, HANDLE_READ), 0);
    handle_withdraw(&device, NULL);
    assert_int_equal(take(0, 0, HANDLE_DEVICE, 0), -ESTALE);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(handle_give(&process[0], &device, HANDLE_READ), -ENODEV);
        handle_withdraw(&device, NULL);
    }
    assert_int_equal(ends, 1);
    assert_int_equal(take(0, 0, HANDLE_DEVICE, 0), -ESTALE);
}

static void test_a_full_table_takes_no_more_and_the_end_of_a_run_empties_it(void **state)
{
    process[0].n_channels = 2; /* indices of theirs */
    for (unsigned n = 2; n < HANDLES; n++)
        assert_int_equal(handle_give(&process[0], &device, HANDLE_READ), n);
    assert_int_equal(handle_give(&process[0], &device, HANDLE_READ), -ENOSPC);
    assert_int_equal(handle_call_handle_close(&thread[0], 7), 0);
    assert_int_equal(handle_give(&process[0], &plain, HANDLE_READ), 7);
    process_parts(&process[0], PROCESS_ENDS);
    for (unsigned n = 0; n < HANDLES; n++)
        assert_int_equal(take(0, n, HANDLE_DEVICE, 0), -EBADF);
}

static void test_a_closed_handle_is_gone_and_its_object_is_told(void **state)
{
    handle_give(&process[0], &device, HANDLE_READ | HANDLE_SEND);
    handle_give(&process[0], &device, HANDLE_READ);
    handle_give(&process[0], &plain, HANDLE_READ);
    assert_int_equal(handle_call_handle_close(&thread[0], 0), 0);
    assert_int_equal(closes, 1);
    assert_int_equal(closed_rights, HANDLE_READ | HANDLE_SEND);
    assert_int_equal(handle_call_handle_close(&thread[0], 0), -EBADF);
    assert_int_equal(handle_call_handle_info(&thread[0].user, 0, HANDLE_CALL_HANDLE_INFO_KIND), -EBADF);
    assert_int_equal(take(0, 1, HANDLE_DEVICE, 0), 0);
    handle_withdraw(&device, NULL);
    assert_int_equal(handle_call_handle_close(&thread[0], 1), 0); /* withdrawn, it is closed as any */
    assert_int_equal(closed_index, 1);
    assert_int_equal(handle_call_handle_close(&thread[0], 2), 0); /* whose component has nothing to do */
    assert_int_equal(closes, 2);
}

static void test_info_says_kind_rights_size_and_whether_it_was_withdrawn(void **state)
{
    handle_give(&process[0], &plain, HANDLE_READ | HANDLE_OWN);
    assert_int_equal(handle_call_handle_info(&thread[0].user, 0, HANDLE_CALL_HANDLE_INFO_KIND), HANDLE_BLOCK);
    assert_int_equal(handle_call_handle_info(&thread[0].user, 0, HANDLE_CALL_HANDLE_INFO_RIGHTS),
                     HANDLE_READ | HANDLE_OWN);
    assert_int_equal(handle_call_handle_info(&thread[0].user, 0, HANDLE_CALL_HANDLE_INFO_SIZE), 4096);
    assert_int_equal(handle_call_handle_info(&thread[0].user, 0, HANDLE_CALL_HANDLE_INFO_VALID), 1);
    handle_withdraw(&plain, NULL);
    assert_int_equal(handle_call_handle_info(&thread[0].user, 0, HANDLE_CALL_HANDLE_INFO_VALID), 0);
}

/* Cores */

static bool has_it, let_go, withdrawn_is_back;

static void *user_of_it(void *unused)
{
    struct handle_object *o;
    assert_int_equal(handle_take(&process[0], 0, HANDLE_DEVICE, HANDLE_READ, &o), 0);
    __atomic_store_n(&has_it, true, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&let_go, __ATOMIC_SEQ_CST))
        usleep(100);
    assert_false(__atomic_load_n(&withdrawn_is_back, __ATOMIC_SEQ_CST));
    handle_put(o);
    return NULL;
}

static void *withdrawer(void *unused)
{
    handle_withdraw(&device, NULL);
    __atomic_store_n(&withdrawn_is_back, true, __ATOMIC_SEQ_CST);
    return NULL;
}

static void test_a_withdrawal_waits_for_who_uses_the_object_and_for_nobody_else(void **state)
{
    pthread_t user, other;
    has_it = let_go = withdrawn_is_back = false;
    handle_give(&process[0], &device, HANDLE_READ);
    pthread_create(&user, NULL, user_of_it, NULL);
    while (!__atomic_load_n(&has_it, __ATOMIC_SEQ_CST))
        usleep(100);
    pthread_create(&other, NULL, withdrawer, NULL);
    while (__atomic_load_n(&device.generation, __ATOMIC_SEQ_CST) == 0)
        usleep(100);
    struct handle_object *o;
    for (unsigned i = 0; i < 1000; i++) /* who comes later is refused, and not waited for */
        assert_int_equal(handle_take(&process[0], 0, HANDLE_DEVICE, HANDLE_READ, &o), -ESTALE);
    assert_int_equal(device.users, 1);
    usleep(10000);
    assert_false(__atomic_load_n(&withdrawn_is_back, __ATOMIC_SEQ_CST));
    assert_int_equal(ends, 0);
    __atomic_store_n(&let_go, true, __ATOMIC_SEQ_CST);
    pthread_join(user, NULL);
    pthread_join(other, NULL);
    assert_int_equal(ends, 1);
    assert_int_equal(users_at_end, 0);
}

static u32 inside, wrong, good, valid, over;

/* Use the object, again and again; `valid`: it is not withdrawn. */
static void *uses(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
        struct handle_object *o;
        int err = handle_take(&process[0], 0, HANDLE_DEVICE, HANDLE_READ, &o);
        if (err)
            continue;
        __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
        if (!__atomic_load_n(&valid, __ATOMIC_SEQ_CST))
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&good, 1, __ATOMIC_RELAXED);
        handle_put(o);
    }
    return NULL;
}

static void test_no_core_is_in_a_call_when_a_withdrawal_has_returned(void **state)
{
    pthread_t user[3];
    inside = wrong = good = over = 0;
    valid = 1;
    handle_give(&process[0], &device, HANDLE_READ);
    for (unsigned i = 0; i < 3; i++)
        pthread_create(&user[i], NULL, uses, NULL);
    for (unsigned i = 0; i < 300; i++) {
        u32 before = __atomic_load_n(&good, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&good, __ATOMIC_SEQ_CST) - before < 3)
            sched_yield();
        handle_withdraw(&device, NULL);
        __atomic_store_n(&valid, 0, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        handle_call_handle_close(&thread[0], 0);
        __atomic_store_n(&valid, 1, __ATOMIC_SEQ_CST);
        assert_int_equal(handle_give(&process[0], &device, HANDLE_READ), 0);
    }
    over = 1;
    for (unsigned i = 0; i < 3; i++)
        pthread_join(user[i], NULL);
    assert_int_equal(wrong, 0);
    assert_true(good >= 900);
    assert_int_equal(device.users, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_handle_is_good_for_its_object_its_process_and_its_rights),
        TEST(test_a_withdrawn_object_answers_stale_to_each_of_its_handles),
        TEST(test_an_object_whose_generations_are_spent_is_given_to_nobody),
        TEST(test_a_full_table_takes_no_more_and_the_end_of_a_run_empties_it),
        TEST(test_a_closed_handle_is_gone_and_its_object_is_told),
        TEST(test_info_says_kind_rights_size_and_whether_it_was_withdrawn),
        TEST(test_a_withdrawal_waits_for_who_uses_the_object_and_for_nobody_else),
        TEST(test_no_core_is_in_a_call_when_a_withdrawal_has_returned),
    };
    for (unsigned i = 0; i < 2; i++) {
        domain[i].id = 3 * i + 1;
        process[i].domain = &domain[i];
        process_parts(&process[i], PROCESS_MAPS);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
