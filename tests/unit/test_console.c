/* SPDX-License-Identifier: MIT */
/* One serial line for many speakers: framing, focus, lines, input. */
#include "console_test.h"

static void the_focus_talks_raw_the_others_by_line(void **state)
{
    console_focus(0);
    host_clear_out();
    say(0, "login: ");
    say(1, "jit");
    say(1, "ter 5\r\nhalf");
    say(0, "root\r\n");
    say(CONSOLE_KERNEL, "hello\n");
    assert_string_equal(host_out[0], "login: \r\n[rt] jitter 5\r\nroot\r\n[amalgam] hello\r\n");
}

static void a_half_line_is_shown_when_its_source_gets_the_focus(void **state)
{
    say(1, "prompt> ");
    assert_string_equal(host_out[0], "");
    console_focus(1);
    assert_string_equal(host_out[0], "prompt> ");
}

static void long_lines_are_cut_not_lost(void **state)
{
    char line[400];
    memset(line, 'x', sizeof(line));
    console_write(1, line, sizeof(line));
    say(1, "\n");
    size_t n = 0;
    for (const char *p = host_out[0]; *p; p++)
        n += *p == 'x';
    assert_int_equal(n, 400);
}

static void the_tagged_channel_says_who_speaks_and_escapes(void **state)
{
    say(0, "a");
    say(0, "b");
    say(1, "c\xff"
           "d");
    say(CONSOLE_KERNEL, "k");
    static const char want[] = "\xff\x00"
                               "ab\xff\x01"
                               "c\xff\xff"
                               "d\xff\xfe"
                               "k";
    assert_int_equal(host_out_len[1], sizeof(want) - 1);
    assert_memory_equal(host_out[1], want, sizeof(want) - 1);
}

static void bytes_that_look_like_tags_are_text_wherever_they_stand(void **state)
{
    say(0, "\xff\xff"
           "a\xff");
    static const char want[] = "\xff\x00\xff\xff\xff\xff"
                               "a\xff\xff";
    assert_int_equal(host_out_len[1], sizeof(want) - 1);
    assert_memory_equal(host_out[1], want, sizeof(want) - 1);
}

static void a_return_begins_no_line_and_ends_none(void **state)
{
    console_focus(0);
    host_clear_out();
    say(0, "line\n\r");
    say(1, "x\n");
    say(0, "5 %\r");
    say(1, "y\n");
    say(0, "\r");
    say(1, "z\n");
    assert_string_equal(host_out[0], "line\n\r[rt] x\r\n5 %\r\r\n[rt] y\r\n\r[rt] z\r\n");
}

static void without_the_second_port_nothing_is_framed(void **state)
{
    host_tagged_port = false;
    say(1, "x\n");
    assert_int_equal(host_out_len[1], 0);
}

static void tagged_input_reaches_its_source(void **state)
{
    static const char in[] = "list\n\xff\x00ls\xff\xff\n\xff\x01go\xff\x07lost\xff\xfeq";
    host_type(1, in, sizeof(in) - 1);
    assert_string_equal(got[0], "ls\xff\n");
    assert_string_equal(got[1], "go");
    assert_string_equal(got[2], "list\nq");
    assert_int_equal(got_port, CONSOLE_MONITOR_TAGGED);
}

/* Each byte costs somebody's time with interrupts off. */
static void no_more_than_a_fifo_is_taken_at_an_interrupt(void **state)
{
    static const char in[] = "\xff\x01"
                             "forty bytes of text that comes at once..";
    host_type(1, in, sizeof(in) - 1);
    assert_string_equal(got[1], in + 2);
    assert_int_equal(host_typed_irqs, 3);
}

static void a_tag_split_over_two_interrupts_is_understood(void **state)
{
    host_type(1, "\xff", 1);
    host_type(1, "\x01z", 2);
    assert_string_equal(got[1], "z");
}

static void ctrl_bracket_toggles_the_monitor(void **state)
{
    console_focus(1);
    host_type(0,
              "ab\x1d"
              "cd\x1d"
              "ef",
              8);
    assert_string_equal(got[1], "abef");
    assert_string_equal(got[2], "\rcd");
    assert_int_equal(got_port, CONSOLE_MONITOR_HUMAN);
}

static void unknown_sources_are_ignored(void **state)
{
    say(16, "x");
    say(0xff, "x");
    console_focus(200);
    assert_int_equal(host_out_len[0] + host_out_len[1], 0);
    host_type(0, "z", 1);
    assert_string_equal(got[2], "z"); /* the focus is where it was */
}

/* The words of a guest lie in its memory: what it writes there meanwhile must not become a frame of another speaker. */
static char shared[] = "text\n";
static void change(void) { memcpy(shared, "\xff\xfe!!!", 5); }

static void text_that_changes_meanwhile_is_what_it_was(void **state)
{
    host_meanwhile = change;
    console_write(0, shared, 5);
    assert_string_equal(host_out[0], "[linux] text\r\n");
    assert_int_equal(host_out_len[1], 7);
    assert_memory_equal(host_out[1], "\xff\0text\n", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_focus_talks_raw_the_others_by_line),
        T(a_half_line_is_shown_when_its_source_gets_the_focus),
        T(long_lines_are_cut_not_lost),
        T(the_tagged_channel_says_who_speaks_and_escapes),
        T(bytes_that_look_like_tags_are_text_wherever_they_stand),
        T(a_return_begins_no_line_and_ends_none),
        T(without_the_second_port_nothing_is_framed),
        T(tagged_input_reaches_its_source),
        T(no_more_than_a_fifo_is_taken_at_an_interrupt),
        T(a_tag_split_over_two_interrupts_is_understood),
        T(ctrl_bracket_toggles_the_monitor),
        T(unknown_sources_are_ignored),
        T(text_that_changes_meanwhile_is_what_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
