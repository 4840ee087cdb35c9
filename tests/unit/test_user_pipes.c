/* SPDX-License-Identifier: MIT */
/* pipe() of a process (user/lib) where its table of open files is nearly full; pipes of the kernel and its own. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../host/userlib/userlib.h"
#include <amalgam/spawn.h>

#include "console.h"
#include "outside.h"
#include "pipe.h"

extern int (*pipe_outside)(int ends[2], int flags);
int pipe2(int ends[2], int flags);

uint32_t console_moved;
void (*console_move)(struct stream *s);
void stream_leave_console(struct stream *s) {}
void console_flush(void) {}
void console_leave(void) {}
void outside_begin(void) {}

_Noreturn void user_exit(int status) { abort(); }

static unsigned ended;
static void end(struct open_file *f) { ended++; }
static int describe(const struct open_file *f, struct stat *s) { return 0; }
static const struct file_kind some = { .describe = describe, .end = end };

/* Leave `free` numbers. */
static void fill(int free)
{
    int n = 0, numbers[MOST_OPEN];
    while (n < MOST_OPEN && (numbers[n] = files_open(&some, NULL, O_RDWR)) >= 0)
        n++;
    for (; free; free--)
        assert_int_equal(close(numbers[--n]), 0);
    ended = 0;
}

static void check_full(int (*make)(int ends[2], int flags))
{
    int ends[2] = { -7, -8 };
    fill(1);
    assert_int_equal(make(ends, 0), -1);
    assert_int_equal(errno, EMFILE);
    assert_true(ends[0] == -7 && ends[1] == -8); /* no number was ever seen, so nobody else's is closed */
    assert_int_equal(ended, 0);
    assert_int_equal(files_open(&some, NULL, O_RDWR), MOST_OPEN - 1); /* it is free again */
    for (int n = 3; n < MOST_OPEN; n++)
        close(n);
}

static void check_flags(int (*make)(int ends[2], int flags))
{
    int ends[2];
    assert_int_equal(make(ends, O_NONBLOCK), 0);
    assert_int_equal(fcntl(ends[0], F_GETFL), O_RDONLY | O_NONBLOCK);
    assert_int_equal(fcntl(ends[1], F_GETFL), O_WRONLY | O_NONBLOCK);
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
}

static void a_pipe_without_two_numbers_takes_none(void **state)
{
    pipe_outside = NULL;
    check_full(pipe2);
    check_flags(pipe2);
}

/* The kernel's pipes: handles that are open. */
static unsigned handles;

static bool kernel(uintptr_t number, const uintptr_t a[4], int64_t *result)
{
    *result = 4 | 5 << 8;
    if (number == AMALGAM_SPAWN_PIPE)
        handles += 2;
    else if (number == AMALGAM_HANDLE_CLOSE)
        *result = 0, handles--;
    return number == AMALGAM_SPAWN_PIPE || number == AMALGAM_HANDLE_CLOSE;
}

static void a_pipe_of_the_kernel_without_two_numbers_leaves_no_handle(void **state)
{
    host_before = kernel;
    pipe_outside = outside_pipe_make;
    check_full(pipe2);
    assert_int_equal(handles, 0);
    check_flags(pipe2);
    assert_int_equal(handles, 0);
    host_before = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_without_two_numbers_takes_none),
        cmocka_unit_test(a_pipe_of_the_kernel_without_two_numbers_leaves_no_handle),
    };
    host_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
