/* SPDX-License-Identifier: MIT */
/* test_process_start.c - how a process server starts programs (user/servers/process/start.c): which pipes there are, as
 * the kernel sees them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <process/start.h>

static unsigned made, open_handles; /* pipes; bits of handles */
static int64_t answer;              /* to a start */
static int64_t pipe_error;
static struct amalgam_program seen;

static int64_t make_pipe(void)
{
    unsigned reads = 4 + 2 * made, writes = reads + 1;
    if (pipe_error)
        return pipe_error;
    assert_int_equal(made++ / 2, 0);
    open_handles |= 1u << reads | 1u << writes;
    return reads | writes << 8;
}

int64_t host_call(uintptr_t number, const uintptr_t a[4])
{
    switch (number) {
    case AMALGAM_SPAWN_PIPE: return make_pipe();
    case AMALGAM_HANDLE_CLOSE:
        assert_true(open_handles >> a[0] & 1);
        open_handles &= ~(1u << a[0]);
        return 0;
    default:
        assert_int_equal(number, AMALGAM_SPAWN_START);
        seen = *(const struct amalgam_program *)a[0];
        return answer;
    }
}

static void a_pipe_that_no_program_got_is_the_next_ones(void **state)
{
    (void)state;
    struct amalgam_program p = { .size = 3 };
    uint32_t output = 99;
    for (unsigned i = 0; i < 100; i++) {
        answer = i % 2 ? -AMALGAM_EAGAIN : -AMALGAM_ENOEXEC;
        assert_int_equal(start_program(&p, &output), i % 2 ? 0 : -AMALGAM_ENOEXEC);
        assert_int_equal(start_program(&p, NULL), i % 2 ? 0 : -AMALGAM_ENOEXEC);
        assert_int_equal(seen.n_handles, 0);
    }
    assert_true(made == 1 && output == 99);
    answer = 16;
    assert_int_equal(start_program(&p, &output), 16);
    assert_true(seen.size == 3 && seen.n_handles == 1 && seen.handle[0] == 5 && seen.rights[0] == AMALGAM_HANDLE_WRITE);
    assert_int_equal(output, 4);
    assert_int_equal(open_handles, 1u << 4); /* or nobody would see the program's end */
    assert_int_equal(start_program(&p, &output), 16);
    assert_true(made == 2 && output == 6 && seen.handle[0] == 7);
}

static void without_a_pipe_nothing_is_started(void **state)
{
    (void)state;
    struct amalgam_program p = { .size = 4 };
    uint32_t output;
    pipe_error = -AMALGAM_ENOMEM;
    answer = 16;
    seen.size = 3;
    assert_int_equal(start_program(&p, &output), -AMALGAM_ENOMEM);
    assert_int_equal(seen.size, 3);
    assert_int_equal(start_program(&p, NULL), 16);
    assert_int_equal(seen.size, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_pipe_that_no_program_got_is_the_next_ones),
                                        cmocka_unit_test(without_a_pipe_nothing_is_started) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
