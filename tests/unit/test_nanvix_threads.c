/* SPDX-License-Identifier: MIT */
/* Threads by Nanvix' rules (user/nanvix/lib/thread.c) where the kernel refuses one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <unistd.h>

#include "thread.h"
#include "userlib.h"
#include "../../user/nanvix/lib/nanvix.h"

#define TRIES 5000 /* of a millisecond */

void console_leave(void) {}
void nanvix_thread_set_number(int tid) {}
void nanvix_polled(unsigned *polls) {}
long nanvix_result(int64_t result) { return (long)result; }
int nanvix_answer(int result) { return result; }
_Noreturn void exit(int status);
_Noreturn void exit(int status)
{
    fail_msg("the process ended with %d", status);
    __builtin_unreachable();
}

static int tid; /* of the thread that the kernel refuses */
static uint32_t waits, joined;
static uint64_t joiner_stack[8192];

static void *nothing(void *arg) { return arg; }

static void join(void *arg)
{
    nanvix_thread_join(tid, NULL);
    __atomic_store_n(&joined, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
}

static bool comes(const uint32_t *word)
{
    for (int i = 0; i < TRIES && !__atomic_load_n(word, __ATOMIC_ACQUIRE); i++)
        amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000);
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Another thread has read the number, and joins, when the kernel has no room for the thread. */
static bool refuse(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    if (number == AMALGAM_WAIT)
        __atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
    if (number != AMALGAM_THREAD_CREATE)
        return false;
    const uintptr_t other[4] = { (uintptr_t)join, (uintptr_t)(joiner_stack + 8192), 0, 0 };
    assert_true(host_carry_out(AMALGAM_THREAD_CREATE, other) > 0);
    assert_true(comes(&waits));
    *result = -AMALGAM_EAGAIN;
    return true;
}

static void who_joins_a_thread_that_does_not_begin_goes_on(void **state)
{
    host_before = refuse;
    assert_int_equal(nanvix_thread_create(&tid, nothing, NULL), -EAGAIN);
    host_before = NULL;
    assert_true(comes(&joined));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(who_joins_a_thread_that_does_not_begin_goes_on) };
    host_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
