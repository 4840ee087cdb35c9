/* SPDX-License-Identifier: MIT */
/* The console's input of a process (user/lib/tty.c); what was typed is the test's. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <amalgam/spawn.h>

#include "outside.h"
#include "tty.h"

const struct files_outside *files_outside;
const struct console_input *console_input;
static const struct files_outside some;
static const char *typed = "";
static bool interrupted;

bool outside_interrupted(void)
{
    bool was = interrupted;
    interrupted = false;
    return was;
}

void outside_begin(void) { files_outside = &some; }
void console_is_read(void) {}
uint32_t files_changes(void) { return 0; }

/* Nobody types more. */
int files_wait(uint32_t since, uint64_t deadline) { return -EINTR; }

int64_t host_call(uintptr_t number, const uintptr_t a[4])
{
    if (number != AMALGAM_CONSOLE_READ)
        return 0;
    if (!*typed)
        return -AMALGAM_EAGAIN;
    *(char *)a[0] = *typed++;
    return 1;
}

static int64_t take(char *to, size_t n)
{
    struct open_file f = { 0 };
    return console_input->read(&f, to, n);
}

static void a_read_of_nothing_waits_for_nothing(void **state)
{
    char line[8];
    typed = "";
    assert_int_equal(take(line, 0), 0);
    assert_int_equal(take(line, sizeof line), -EINTR);
    typed = "ab\n";
    assert_int_equal(take(line, 0), 0);
    assert_int_equal(take(line, 2), 2);
    assert_int_equal(take(line, sizeof line), 1);
}

static void an_interrupt_drops_the_line(void **state)
{
    char line[8];
    typed = "ab";
    assert_int_equal(take(line, sizeof line), -EINTR);
    interrupted = true;
    typed = "cd\n";
    assert_int_equal(take(line, sizeof line), 1);
    assert_int_equal(*line, '\n');
    assert_int_equal(take(line, sizeof line), 3);
    assert_int_equal(*line, 'c');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_nothing_waits_for_nothing),
        cmocka_unit_test(an_interrupt_drops_the_line),
    };
    tty_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
