/* SPDX-License-Identifier: MIT */
/* The console's size, as a process's library says it (user/lib/winsize.c). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define ioctl  user_ioctl
#define isatty user_isatty
#include "../../user/lib/winsize.c"

int isatty(int number)
{
    errno = ENOTTY;
    return number == 0;
}

static void ask(const char *lines, const char *columns, unsigned rows, unsigned width)
{
    struct winsize size = { 0 };
    lines ? setenv("LINES", lines, 1) : unsetenv("LINES");
    columns ? setenv("COLUMNS", columns, 1) : unsetenv("COLUMNS");
    assert_int_equal(ioctl(0, TIOCGWINSZ, &size), 0);
    assert_int_equal(size.ws_row, rows);
    assert_int_equal(size.ws_col, width);
}

static void the_size_is_the_environments_if_a_line_fits_into_it(void **state)
{
    (void)state;
    ask(NULL, NULL, 24, 80);
    ask("50", "120", 50, 120);
    ask("10", "1000", 10, 1000);
    ask("1", "2", 24, 80); /* a prompt of two characters leaves nothing of it */
    ask("9", "9", 24, 80);
    ask("-1", "1001", 24, 80);
    ask("", "wide", 24, 80);
}

static void what_is_no_console_has_no_size(void **state)
{
    (void)state;
    struct winsize size;
    assert_int_equal(ioctl(1, TIOCGWINSZ, &size), -1);
    assert_int_equal(ioctl(0, TIOCGWINSZ + 1, &size), -1);
    assert_int_equal(errno, ENOTTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_size_is_the_environments_if_a_line_fits_into_it),
                                        cmocka_unit_test(what_is_no_console_has_no_size) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
