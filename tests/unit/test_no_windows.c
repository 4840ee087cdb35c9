/* SPDX-License-Identifier: MIT */
/* A kernel without windows refuses a system that has some, and takes one that has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample_system.h"
#include <core/sched.h>
#include <errors.h>

_Static_assert(!SCHED_WINDOWS && SCHED_GROUPS == 1, "this is the kernel without windows");

static struct sample s;

static void windows_are_refused(void **state)
{
    const char *why = NULL;
    sample_make(&s);
    assert_int_equal(system_table_check(&s, sizeof(s), &why), -EINVAL);
    assert_string_equal(why, "this kernel has no windows");
}

static void a_system_without_windows_is_accepted(void **state)
{
    const char *why = NULL;
    sample_make(&s);
    s.h.n_frames = s.h.n_windows = 0;
    sample_sign(&s);
    int err = system_table_check(&s, sizeof(s), &why);
    assert_null(why);
    assert_int_equal(err, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_refused),
        cmocka_unit_test(a_system_without_windows_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
