/* SPDX-License-Identifier: MIT */
/* Page faults and the thread that handles them (pager.c): who waits for whom, in which order, and who waits for nobody.
 * Threads of the process are threads of the fake machine; its memory is one page. */
#include "threads.h"

#include <core/sched.h>
#include <generated/process_calls.h>

#include "process/memory.h"
#include "process/pages.h"
#include "process/waiters.h"

#define TOLD_AT (USER_BASE + 64)            /* where the pager is told */
#define AT(n)   (USER_BASE + MIB + (n)*256) /* where thread n faults */

static struct process process;
static struct process_thread threads[4];
static s64 result[4];
static u64 told[2];
static bool there;

u64 user_pc(const struct user *u) { return 1000 + container_of(u, struct process_thread, user)->number; }
int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    if (to != TOLD_AT || n != sizeof(told))
        return -EFAULT;
    memcpy(told, from, n);
    return 0;
}

int user_copy_piece(struct user *u, void *to, const void *from, size_t n) { return -EFAULT; }
space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    static space_entry_t entry;
    *size = PAGE_SIZE;
    entry = va < AT(0) ? PTE_P | PTE_W : there ? PTE_P : 0;
    return &entry;
}

static int begin(void **state)
{
    setup(state);
    process = (struct process){ .thread = threads, .n = 4 };
    list_init(&process.waiters);
    for (unsigned i = 0; i < 4; i++) {
        threads[i] = (struct process_thread){ .process = &process, .number = (u8)i };
        result[i] = -1;
    }
    there = false;
    return 0;
}

static void pager_body(void *t) { result[((struct process_thread *)t)->number] = process_call_fault_wait(t, TOLD_AT); }
static void fault_body(void *arg)
{
    struct process_thread *t = arg;
    result[t->number] = process_page_fault(t, AT(t->number));
}
static void call_body(void *arg)
{
    struct process_thread *t = arg;
    result[t->number] = process_page_in(t, AT(0) - 100, 200, SPACE_WRITE);
}

static void go(unsigned n, void (*body)(void *))
{
    struct process_thread *t = &threads[n];
    result[n] = -1;
    t->thread = thread_create("t", n % 2, 8, body, t, NULL, false);
    thread_start(t->thread);
    host_settle();
}

static void test_faults_are_told_in_their_order_and_a_thread_goes_on_when_it_is_let(void **state)
{
    go(0, pager_body);
    assert_int_equal(result[0], -1);
    go(2, fault_body);
    assert_true(result[0] == 2 && told[0] == AT(2) && told[1] == 1002);
    go(1, fault_body);
    go(3, fault_body);
    assert_true(result[1] == -1 && result[2] == -1 && result[3] == -1);
    assert_int_equal(process_call_fault_resume(&threads[0], 1), -ENOENT); /* it was not told yet */
    assert_int_equal(process_call_fault_resume(&threads[0], 2), 0);
    host_settle();
    assert_int_equal(result[2], true);
    assert_int_equal(process_call_fault_resume(&threads[0], 2), -ENOENT);
    go(0, pager_body);
    assert_int_equal(result[0], 1);
    go(0, pager_body);
    assert_true(result[0] == 3 && told[0] == AT(3)); /* two at once: both wait */
    for (unsigned i = 1; i < 4; i += 2)
        assert_int_equal(process_call_fault_resume(&threads[0], i), 0);
    host_settle();
    assert_true(result[1] == true && result[3] == true && list_empty(&process.waiters));
}

/* A signal wakes it and does not end its wait. After enough of them its count of turns (thread.turns) is what it was
 * when its space was loaded, as here: it is loaded all the same. */
static void test_a_thread_that_is_woken_while_it_waits_loads_its_space_at_any_count(void **state)
{
    go(0, pager_body);
    threads[1].user.turn = 101;
    go(1, fault_body);
    thread_wake(threads[1].thread);
    host_settle();
    assert_int_equal(result[1], -1);
    threads[1].thread->turns = 99;
    assert_int_equal(process_call_fault_resume(&threads[0], 1), 0);
    host_settle();
    assert_true(result[1] == true && threads[1].thread->turns == 101);
    assert_int_not_equal(threads[1].user.turn, 101);
}

static void test_nobody_waits_where_no_pager_helps(void **state)
{
    assert_false(process_page_fault(&threads[1], AT(1)));
    go(0, pager_body);
    assert_false(process_page_fault(&threads[0], AT(0))); /* the pager's own */
    assert_false(process_page_fault(&threads[1], 0));
    assert_false(process_page_fault(&threads[1], USER_BASE - 1));
    assert_false(process_page_fault(&threads[1], PROCESS_PARTS));
    assert_int_equal(process_call_fault_wait(&threads[1], TOLD_AT), -EBUSY);
    assert_int_equal(process_call_fault_wait(&threads[1], TOLD_AT + 1), -EFAULT);
    assert_int_equal(process_call_fault_resume(&threads[0], 3), -ENOENT);
    assert_int_equal(process_call_fault_resume(&threads[0], 63), -ENOENT);
    process_pager_ended(&threads[1]); /* which was none */
    assert_ptr_equal(process.pager, &threads[0]);
}

static void test_faults_that_are_kept_wait_for_the_next_pager(void **state)
{
    assert_int_equal(process_call_fault_keep(&threads[0], 1), 0);
    go(1, fault_body);
    assert_int_equal(result[1], -1);
    go(0, pager_body);
    assert_true(result[0] == 1 && told[0] == AT(1));
    assert_int_equal(process_call_fault_keep(&threads[2], 0), 0); /* there is a pager: nothing changes */
    assert_int_equal(result[1], -1);
    assert_int_equal(process_call_fault_keep(&threads[2], 1), 0);
    process_pager_ended(&threads[0]);
    host_settle();
    assert_int_equal(result[1], true); /* it faults once more, */
    go(1, fault_body);
    assert_int_equal(result[1], -1); /* and waits again */
    assert_int_equal(process_call_fault_keep(&threads[2], 0), 0);
    host_settle();
    assert_true(result[1] == true && list_empty(&process.waiters));
    assert_false(process_page_fault(&threads[1], AT(1)));
}

static void test_when_the_pager_ends_all_fault_once_more(void **state)
{
    go(0, pager_body);
    go(1, fault_body);
    go(2, fault_body);
    process_pager_ended(&threads[0]);
    host_settle();
    assert_true(result[1] == true && result[2] == true && list_empty(&process.waiters)); /* one was told, one was not */
    assert_false(process_page_fault(&threads[1], AT(1)));
}

static void test_a_call_waits_for_the_first_page_that_is_not_there(void **state)
{
    go(1, call_body);
    assert_int_equal(result[1], false); /* no pager */
    go(0, pager_body);
    go(1, call_body);
    assert_true(result[0] == 1 && told[0] == AT(0) && result[1] == -1);
    assert_int_equal(process_call_fault_resume(&threads[0], 1), 0);
    host_settle();
    assert_int_equal(result[1], true);
    there = true;
    go(2, call_body);
    assert_int_equal(result[2], false); /* it may not be written: no matter of a pager's */
    there = false;
    unsigned long flags = irq_save();
    assert_false(process_page_in(&threads[2], AT(0), 1, 0));
    irq_restore(flags);
}

static void test_a_thread_that_has_to_end_waits_for_no_pager(void **state)
{
    go(0, pager_body);
    go(1, fault_body);
    threads[1].thread->stop = true;
    thread_wake(threads[1].thread);
    host_settle();
    assert_int_equal(result[1], true); /* to where it ends */
    assert_true(list_empty(&process.waiters));
    assert_false(process_page_in(&threads[1], AT(0), 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_faults_are_told_in_their_order_and_a_thread_goes_on_when_it_is_let, begin),
        cmocka_unit_test_setup(test_a_thread_that_is_woken_while_it_waits_loads_its_space_at_any_count, begin),
        cmocka_unit_test_setup(test_nobody_waits_where_no_pager_helps, begin),
        cmocka_unit_test_setup(test_faults_that_are_kept_wait_for_the_next_pager, begin),
        cmocka_unit_test_setup(test_when_the_pager_ends_all_fault_once_more, begin),
        cmocka_unit_test_setup(test_a_call_waits_for_the_first_page_that_is_not_there, begin),
        cmocka_unit_test_setup(test_a_thread_that_has_to_end_waits_for_no_pager, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
