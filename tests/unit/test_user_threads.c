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

#include "thread.h"
#include "userlib.h"

#define OWN_STACK 32768u

void console_flush(void) {}
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

static int begin(void **state)
{
    host_begin();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_creator_reads_nothing_of_a_thread_that_may_have_ended, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
