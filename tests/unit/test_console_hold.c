/* SPDX-License-Identifier: MIT */
/* What is typed for who has no room waits in its port, for some time. */
#include "console_test.h"

#define MS      1000000ull
#define PATIENT (2900 * MS)
#define LONG    (3100 * MS)

static unsigned room; /* of domain 0 */
static void little_room(void *arg, u8 byte)
{
    if (room) {
        input(arg, byte);
        room--;
    }
    if (!room)
        console_hold(0);
}

static int begin(void **state)
{
    setup(state);
    console_room(0);
    host_run(time_now() + 10 * MS);
    console_register(0, "linux", little_room, (void *)0);
    console_focus(0);
    room = 4;
    return 0;
}

static void later(u64 ns) { host_run(time_now() + ns); }

/* Who had no room has some for `n` bytes, and all in all gets this text. */
static void read_on(unsigned n, const char *text)
{
    room = n;
    console_room(0);
    later(5 * MS);
    assert_string_equal(got[0], text);
}

static void bytes_without_room_wait_and_come_in_their_order(void **state)
{
    host_type(0, "abcdefghij", 10);
    assert_string_equal(got[0], "abcd");
    assert_int_equal(host_console_irqs[0], 0);
    later(PATIENT);
    assert_string_equal(got[0], "abcd");
    read_on(4, "abcdefgh");
    read_on(100, "abcdefghij");
    assert_int_equal(host_console_irqs[0], CONSOLE_IRQ_RX);
}

static void who_makes_no_room_holds_nobody_for_long(void **state)
{
    host_type(0, "abcdefg\x1dlist", 12);
    assert_int_equal(got_n[2], 0);
    later(PATIENT);
    assert_int_equal(got_n[2], 0);
    console_room(1); /* of another one */
    later(LONG - PATIENT);
    /* Each byte for who has none waits, unless it says so once (spawn/input.c). */
    for (unsigned i = 0; i < 3; i++)
        later(LONG);
    assert_string_equal(got[0], "abcd");
    assert_string_equal(got[2], "\rlist");
}

/* The clock has gone on, and nobody could read. */
static void a_machine_that_stood_still_loses_nothing(void **state)
{
    host_type(0, "abcdefghij", 10);
    later(PATIENT / 2);
    host_now += 100 * LONG;
    later(5 * MS);
    assert_string_equal(got[0], "abcd");
    read_on(100, "abcdefghij");
}

/* Each piece of text that is sent is a look, too, and must make the time neither shorter nor longer. */
static void who_speaks_meanwhile_does_not_change_for_how_long(void **state)
{
    host_type(0, "abcde\x1dlist", 10);
    ticks_t end = time_now() + PATIENT;
    while (time_now() < end) {
        later(MS / 2);
        core_irq_console(0);
    }
    assert_int_equal(got_n[2], 0);
    for (end += LONG; time_now() < end;) {
        later(MS / 2);
        core_irq_console(0);
    }
    assert_string_equal(got[2], "\rlist");
}

static void a_change_of_the_focus_lets_go(void **state)
{
    host_type(0, "abcdxy", 6);
    console_focus(1);
    later(5 * MS);
    assert_string_equal(got[1], "xy");
}

static void the_other_port_goes_on(void **state)
{
    host_type(0, "abcdef", 6);
    host_type(1, "\xff\x01yes", 5);
    assert_string_equal(got[1], "yes");
    host_type(1, "\xff\x00no\xff\x01later", 11);
    assert_string_equal(got[1], "yes");
    assert_int_equal(host_console_irqs[1], 0);
    room = 8;
    console_room(0);
    later(5 * MS);
    assert_string_equal(got[1], "yeslater");
    assert_int_equal(got_n[0], 8);
}

static void text_is_sent_while_a_port_is_held(void **state)
{
    host_type(0, "abcdef", 6);
    console_queue(true);
    host_room[0] = 2;
    say(0, "text");
    assert_int_equal(host_console_irqs[0], CONSOLE_IRQ_TX);
    host_room[0] = 100;
    core_irq_console(0);
    assert_string_equal(host_out[0], "text");
    assert_int_equal(host_console_irqs[0], 0);
    console_queue(false);
    read_on(8, "abcdef");
}

#define H(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        H(bytes_without_room_wait_and_come_in_their_order),
        H(who_makes_no_room_holds_nobody_for_long),
        H(a_machine_that_stood_still_loses_nothing),
        H(who_speaks_meanwhile_does_not_change_for_how_long),
        H(a_change_of_the_focus_lets_go),
        H(the_other_port_goes_on),
        H(text_is_sent_while_a_port_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
