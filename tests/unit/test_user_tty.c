/* SPDX-License-Identifier: MIT */
/* The console's input of a process (user/lib/tty.c); what was typed is the test's. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <amalgam/spawn.h>

#include "outside.h"
#include "tty.h"

const struct files_outside *files_outside;
const struct console_input *console_input;
static const struct files_outside some;
static const char *typed = "";
static bool interrupted;
static size_t shown; /* how many bytes were echoed */

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
    if (number == AMALGAM_CONSOLE_WRITE)
        shown += a[1];
    if (number != AMALGAM_CONSOLE_READ)
        return 0;
    if (!*typed)
        return -AMALGAM_EAGAIN;
    size_t n = strlen(typed) < a[1] ? strlen(typed) : a[1];
    memcpy((void *)a[0], typed, n);
    typed += n;
    return (int64_t)n;
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

static void set(tcflag_t input, tcflag_t local, bool drops)
{
    struct termios modes = { .c_iflag = input, .c_lflag = local, .c_oflag = 0, .c_cflag = 0 };
    tty_set(&modes, drops);
    assert_true(tty_modes.c_oflag & OPOST); /* cannot be changed */
    assert_int_equal(tty_modes.c_cc[VMIN], 1);
}

static void without_lines_each_character_is_read_as_it_comes(void **state)
{
    char line[8];
    typed = "ab";
    assert_int_equal(take(line, sizeof line), -EINTR);
    shown = 0;
    set(INLCR, 0, false);
    assert_int_equal(take(line, sizeof line), 2); /* of the line that was begun */
    typed = "\x7f\n\x15";
    for (const char *c = "\x7f\r\x15"; *c; c++) {
        assert_int_equal(take(line, sizeof line), 1);
        assert_int_equal(*line, *c);
    }
    interrupted = true;
    typed = "x";
    assert_int_equal(take(line, sizeof line), 1);
    assert_int_equal(*line, 3);
    assert_int_equal(shown, 0);
    assert_int_equal(take(line, sizeof line), 1);
    set(ICRNL, ICANON | ECHO | ISIG, false);
    typed = "c\r";
    assert_int_equal(take(line, sizeof line), 2);
    assert_memory_equal(line, "c\n", 2);
    assert_int_equal(shown, 2);
}

static void new_modes_drop_what_was_typed_if_they_are_told_to(void **state)
{
    char line[8];
    typed = "ab";
    assert_int_equal(take(line, sizeof line), -EINTR);
    typed = "cd\n";
    set(ICRNL, ICANON | ECHO | ISIG, true);
    assert_string_equal(typed, "");
    typed = "e\n";
    assert_int_equal(take(line, sizeof line), 2);
    assert_memory_equal(line, "e\n", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_nothing_waits_for_nothing),
        cmocka_unit_test(an_interrupt_drops_the_line),
        cmocka_unit_test(without_lines_each_character_is_read_as_it_comes),
        cmocka_unit_test(new_modes_drop_what_was_typed_if_they_are_told_to),
    };
    tty_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
