/* SPDX-License-Identifier: MIT */
/* test_remote_pager.c - the thread that brings remote memory (user/nanvix/lib/pager.c). The test is the program's other
 * threads, the memory server and the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <amalgam/clusters.h>

int64_t amalgam_fault_keep(uint32_t keeps);

#include "../../user/nanvix/lib/pager.c"

#define MS 1000000ull

static uint64_t now, answers; /* the time, and from when on the server answers */
static unsigned faults, resumed, threads;
static bool keeps, armed; /* the alarm of the library's last question, which ends the next sleep */

void nanvix_lock_take(uint32_t *l) { assert_int_equal((*l)++, 0); }
void nanvix_lock_drop(uint32_t *l) { (*l)--; }
int excp_ctrl(int excpnum, int action)
{
    return excpnum == EXCEPTION_PAGE_FAULT && action == EXCP_ACTION_HANDLE ? 0 : -EINVAL;
}
int kthread_create(kthread_t *tid, void *(*start)(void *), void *arg)
{
    assert_true(tid && start == page_in && !arg);
    return (int)threads++;
}
uint64_t amalgam_clock(void) { return now; }

int64_t amalgam_sleep_until(uint64_t deadline)
{
    bool cut = armed && deadline > now + MS;
    armed = false;
    now = cut ? now + MS : deadline;
    return cut ? -AMALGAM_EINTR : 0;
}

int64_t amalgam_fault_keep(uint32_t value)
{
    keeps = value;
    return 0;
}

int excp_pause(struct exception *e)
{
    *e = (struct exception){ EXCEPTION_PAGE_FAULT, 0x1000, 0x2000 };
    return faults-- ? 0 : -EBUSY;
}

int excp_resume(void)
{
    resumed++;
    return 0;
}

int nanvix_rfault(vaddr_t vaddr)
{
    assert_int_equal(vaddr, 0x1000);
    armed = true;
    return now >= answers ? 0 : -EIO;
}

static int setup(void **state)
{
    (void)state;
    now = answers = resumed = 0;
    faults = 1;
    keeps = true;
    return 0;
}

static void a_server_is_asked_for_a_second_though_alarms_end_sleeps(void **state)
{
    (void)state;
    answers = 950 * MS;
    page_in(NULL);
    assert_true(keeps && resumed == 1);
}

static void what_cannot_be_brought_ends_the_process(void **state)
{
    (void)state;
    answers = UINT64_MAX;
    page_in(NULL);
    assert_true(!keeps && !resumed && now >= 1000 * MS);
}

static void the_pager_begins_once(void **state)
{
    (void)state;
    assert_int_equal(nanvix_pager_begin(), 0);
    assert_int_equal(nanvix_pager_begin(), 0);
    assert_int_equal(threads, 1);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_server_is_asked_for_a_second_though_alarms_end_sleeps),
        TEST(what_cannot_be_brought_ends_the_process),
        TEST(the_pager_begins_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
