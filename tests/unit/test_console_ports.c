/* SPDX-License-Identifier: MIT */
/* Ports that take some bytes, or none: what waits, who waits, what is lost, and that the host knows it. */
#include "console_test.h"
#include <unistd.h>

static void busy(unsigned room)
{
    host_room[0] = host_room[1] = room;
    host_polls = 0;
    console_queue(true);
}

static void what_a_busy_port_does_not_take_waits_in_order_for_its_interrupt(void **state)
{
    console_focus(0);
    host_clear_out();
    host_irq_on = true;
    busy(3);
    say(0, "abcdefghijklmnopqrstuvwxyz");
    assert_string_equal(host_out[0], "abc");
    assert_int_equal(host_polls, 2); /* once each: nobody waited */
    assert_int_equal(host_console_irqs[0], CONSOLE_IRQ_RX | CONSOLE_IRQ_TX);
    host_room[0] = ~0u; /* free again: who speaks helps it on by as much as it says, but others go first */
    say(0, "0123");
    assert_string_equal(host_out[0], "abcdefghijklmnopqrs");
    say(1, "line\n");
    assert_string_equal(host_out[0], "abcdefghijklmnopqrstuvwxyz0123\r\n[rt");
    assert_int_equal(host_console_irqs[0], CONSOLE_IRQ_RX | CONSOLE_IRQ_TX);
    core_irq_console(0);
    assert_string_equal(host_out[0], "abcdefghijklmnopqrstuvwxyz0123\r\n[rt] line\r\n");
    assert_int_equal(host_console_irqs[0], CONSOLE_IRQ_RX);
}

static size_t most, out_before;
static unsigned pauses;
static void interrupt_in_between(void)
{
    size_t out = host_out_len[0] + host_out_len[1];
    host_elsewhere = interrupt_in_between;
    pauses += host_irq_on;
    most = MAX(most, out - out_before);
    out_before = out;
}

static void interrupts_come_in_between_pieces_of_a_ports_length(void **state)
{
    static const char line[] = "sixty-four bytes of text are four pieces of sixteen bytes each\r\n";
    console_focus(0);
    host_clear_out();
    busy(~0u);
    host_irq_on = true;
    pauses = most = out_before = 0;
    host_elsewhere = interrupt_in_between;
    console_write(0, line, 64);
    host_elsewhere = NULL;
    assert_int_equal(host_out_len[0], 64);
    assert_int_equal(host_out_len[1], 66);
    assert_in_range(pauses, 9, 11);
    assert_int_equal(most, 16);
}

/* Source 0 has the only port, which takes nothing, and speaks with interrupts off. */
static void speak_to_a_busy_port(void)
{
    host_tagged_port = false;
    console_focus(0);
    host_clear_out();
    host_irq_on = false;
    busy(0);
}

static void taken(unsigned n) /* the ring's bytes go on from where host_clear_out() left off */
{
    for (unsigned i = 0; i < n; i++)
        assert_int_equal((u8)host_out[0][i], 'a' + i % 26);
}
static void say_alphabet(unsigned from, unsigned n)
{
    for (unsigned i = from; i < from + n; i++) {
        char c = (char)('a' + i % 26);
        console_write(0, &c, 1);
    }
}

static unsigned looks; /* of who waits, between two interrupts: the port is slow */
static void interrupt_elsewhere(void)
{
    host_elsewhere = interrupt_elsewhere;
    if (++looks % 50000)
        return;
    host_elsewhere = NULL; /* the interrupt has locks of its own */
    host_room[0] = 16;
    core_irq_console(0);
    host_room[0] = 0;
    host_elsewhere = interrupt_elsewhere;
}

static void who_has_interrupts_on_waits_for_half_a_ring_who_has_them_off_does_not(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 5000);
    assert_int_equal(host_out_len[0], 0);
    host_irq_on = true;
    host_elsewhere = interrupt_elsewhere;
    say_alphabet(5000, 1);
    host_elsewhere = NULL;
    assert_in_range(host_out_len[0], 5000 - 4096, 5000 - 4096 + 64); /* and no longer */
    host_room[0] = ~0u;
    for (unsigned i = 0; i < 400; i++)
        core_irq_console(0);
    assert_int_equal(host_out_len[0], 5001);
    taken(5001);
}

/* 87 us a byte: what a writer waits for, nobody else on its core gets. */
static void nobody_waits_for_a_slow_port_with_interrupts_off(void **state)
{
    static char text[4096];
    memset(text, '\n', sizeof(text));
    speak_to_a_busy_port();
    busy(0); /* both */
    for (unsigned i = 0; i < 100; i++) {
        host_room[0] = host_room[1] = i % 2; /* now and then a byte */
        host_polls = 0;
        console_write(i % 2, text, sizeof(text));
        assert_in_range(host_polls, 0, 5 * sizeof(text)); /* lines and chunks, two ports, two times to hand over */
    }
}

/* Others may say more all the time; the port's interrupt goes on. */
static void who_speaks_with_interrupts_off_hands_over_little(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 4000);
    host_room[0] = ~0u;
    char text[64] = { 0 };
    console_write(0, text, sizeof(text));
    assert_in_range(host_out_len[0], 1, 2 * 16); /* for each port's text */
    assert_int_equal(host_console_irqs[0], CONSOLE_IRQ_RX | CONSOLE_IRQ_TX);
}

static void a_full_ring_loses_what_is_said_with_interrupts_off(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 8200);
    assert_int_equal(host_out_len[0], 0);
    host_room[0] = ~0u;
    for (unsigned i = 0; i < 600; i++)
        core_irq_console(0);
    assert_int_equal(host_out_len[0], 8192);
    taken(8192);
    say_alphabet(8192, 1);
    assert_int_equal(host_out_len[0], 8193);
    taken(8193);
}

static void who_has_interrupts_on_loses_nothing(void **state)
{
    speak_to_a_busy_port();
    host_irq_on = true;
    looks = 0;
    host_elsewhere = interrupt_elsewhere;
    say_alphabet(0, 12000);
    host_elsewhere = NULL;
    host_room[0] = ~0u;
    console_queue(false);
    assert_int_equal(host_out_len[0], 12000);
    taken(12000);
}

static void interrupt_if_it_can(void)
{
    if (host_irq_on)
        core_irq_console(0);
}

static void what_waits_is_sent_once_before_the_power_goes_off(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 1000);
    host_irq_on = true;
    host_room[0] = ~0u;
    host_meanwhile = interrupt_if_it_can;
    console_flush();
    host_meanwhile = NULL;
    assert_int_equal(host_out_len[0], 1000);
    taken(1000);
}

static void a_dead_port_is_given_up(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 9000);
    assert_in_range(host_polls, 1, 200000);
}

/* A device of a guest speaks with interrupts off; its guest tries again. */
static bool offer(unsigned i)
{
    char c = (char)('a' + i % 26);
    return console_offer(0, &c, 1);
}

static void who_can_come_back_is_told_when_to(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 4096);
    assert_true(offer(4096));
    say_alphabet(4097, 39);
    assert_false(offer(4136));
    host_room[0] = 16;
    assert_false(offer(4136)); /* a look helps it on, where no interrupt does */
    assert_int_equal(host_out_len[0], 16);
    host_room[0] = 32;
    assert_false(offer(4136));
    assert_false(offer(4136));
    assert_true(offer(4136));
    host_room[0] = ~0u;
    for (unsigned i = 0; i < 400; i++)
        core_irq_console(0);
    assert_int_equal(host_out_len[0], 4137);
    taken(4137);
}

static void a_dead_port_holds_up_nobody_for_ever(void **state)
{
    speak_to_a_busy_port();
    say_alphabet(0, 5000);
    unsigned n = 0;
    while (!offer(0))
        assert_true(++n <= 200000);
    assert_true(offer(1)); /* what waited is forgotten */
    host_room[0] = ~0u;
    say_alphabet(2, 1);
    assert_int_equal(host_out_len[0], 3);
    taken(3);
}

/* It would wait with interrupts off for all who have the console before it. */
static size_t offered;
static void offer_to_a_console_in_use(void) { offered = console_offer(1, "text", 4); }

static void a_device_does_not_wait_for_who_has_the_console(void **state)
{
    offered = 99;
    host_meanwhile = offer_to_a_console_in_use;
    say(0, "x");
    assert_int_equal(offered, 0);
    offer_to_a_console_in_use();
    assert_int_equal(offered, 4);
}

static void a_device_is_told_how_much_of_its_text_was_taken(void **state)
{
    char text[200];
    memset(text, 'x', sizeof(text));
    host_irq_on = false;
    assert_int_equal(console_offer(1, "one\ntwo\n", 8), 4);
    assert_int_equal(console_offer(1, "two\n", 4), 4);
    assert_string_equal(host_out[0], "[rt] one\r\n[rt] two\r\n");
    assert_int_equal(console_offer(1, text, sizeof(text)), 64);
    assert_int_equal(console_offer(1, text, sizeof(text)), 56); /* a shown line has 120 bytes */
}

/* What the host takes for this source's words. */
static size_t heard(u8 source, char *text)
{
    size_t n = 0;
    int speaker = -1;
    bool tagged = false;
    for (size_t i = 0; i < host_out_len[1]; i++) {
        u8 byte = (u8)host_out[1][i];
        bool mark = byte == 0xff && !tagged;
        if (!mark && tagged && byte != 0xff)
            speaker = byte;
        else if (!mark && speaker == source)
            text[n++] = (char)byte;
        tagged = mark;
    }
    return n;
}

static void after_a_loss_the_host_knows_again_who_speaks(void **state)
{
    static char text[10000];
    for (unsigned way = 0; way < 8; way++) {
        unsigned said =
            way < 4 ? 9000 : 5000; /* more than the ring holds, or than who can come back waits for: forgotten */
        say(CONSOLE_KERNEL, "k");
        host_clear_out();
        host_irq_on = false;
        busy(~0u);
        host_room[1] = way % 4; /* also in the middle of a tag */
        say_alphabet(0, said);
        while (!console_offer(0, "y", 1))
            continue;
        say(0, "z");
        say(1, "rt");
        host_room[1] = ~0u;
        for (unsigned i = 0; i < 1000; i++)
            core_irq_console(1);
        console_queue(false);
        assert_int_equal(heard(1, text), 2);
        assert_memory_equal(text, "rt", 2);
        size_t n = heard(0, text);
        assert_in_range(n, 1, 2000);
        assert_int_equal(text[n - 1], 'z');
    }
}

/* The loss comes 62 bytes into the last chunk of 64. */
static void what_is_said_after_a_loss_in_its_middle_is_no_other_speakers(void **state)
{
    static char text[10000], from[10000];
    memset(text, 'a', sizeof(text));
    say(1, "rt");
    host_clear_out();
    host_irq_on = false;
    busy(~0u);
    host_room[1] = 0;
    console_write(0, text, 8192);
    host_room[1] = ~0u;
    console_queue(false);
    say(1, "rt");
    assert_int_equal(heard(0, from), 8190);
    assert_memory_equal(from, text, 8190);
    assert_int_equal(heard(1, from), 2);
}

static void a_panic_sends_all_that_waits_before_its_own_words(void **state)
{
    busy(0);
    say(0, "before\n");
    host_room[0] = host_room[1] = ~0u;
    assert_string_equal(host_out[0], "");
    console_break_lock();
    say(CONSOLE_KERNEL, "PANIC\n");
    assert_string_equal(host_out[0], "[linux] before\r\nPANIC\r\n");
}

static void a_panic_overwrites_nothing_of_a_full_ring(void **state)
{
    static const char line[] = "PANIC: a line that is longer than what the ring has left\n";
    speak_to_a_busy_port();
    say_alphabet(0, 8191);
    host_room[0] = ~0u;
    console_break_lock();
    say(0, line);
    assert_int_equal(host_out_len[0], 8191 + sizeof(line) - 1);
    taken(8191);
    assert_string_equal(host_out[0] + 8191, line);
}

static bool said(const char *part)
{
    for (const char *p = host_out[0]; *p; p++)
        if (!strncmp(p, part, strlen(part)))
            return true;
    return false;
}

/* Core 1 cannot be stopped while it speaks: it has interrupts off, and no NMI reaches it. */
static struct cpu *panics;
static void panic_begins(void)
{
    struct cpu *speaker = host_this_cpu;
    host_this_cpu = panics;
    console_break_lock();
    say(CONSOLE_KERNEL, "PANIC: first\n");
    host_this_cpu = speaker;
}
static void a_panic_reports_though_the_holder_of_the_lock_goes_on(void **state)
{
    static struct cpu second = { .id = 1 };
    panics = host_this_cpu;
    host_this_cpu = &second;
    host_meanwhile = panic_begins;
    alarm(10);             /* without this promise somebody waits for ever */
    say(0, "neighbour\n"); /* it unlocks after that, and locks again */
    host_this_cpu = panics;
    say(CONSOLE_KERNEL, "second\n");
    say(CONSOLE_KERNEL, "third\n");
    alarm(0);
    assert_true(said("PANIC: first\r\n") && said("second\r\n") && said("third\r\n"));
    assert_in_range(host_out_len[0], 0, 200); /* the holder may repeat some of it */
    assert_in_range(host_out_len[1], 0, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_a_busy_port_does_not_take_waits_in_order_for_its_interrupt),
        T(interrupts_come_in_between_pieces_of_a_ports_length),
        T(who_has_interrupts_on_waits_for_half_a_ring_who_has_them_off_does_not),
        T(nobody_waits_for_a_slow_port_with_interrupts_off),
        T(who_speaks_with_interrupts_off_hands_over_little),
        T(a_full_ring_loses_what_is_said_with_interrupts_off),
        T(who_has_interrupts_on_loses_nothing),
        T(what_waits_is_sent_once_before_the_power_goes_off),
        T(a_dead_port_is_given_up),
        T(who_can_come_back_is_told_when_to),
        T(a_dead_port_holds_up_nobody_for_ever),
        T(a_device_does_not_wait_for_who_has_the_console),
        T(a_device_is_told_how_much_of_its_text_was_taken),
        T(after_a_loss_the_host_knows_again_who_speaks),
        T(what_is_said_after_a_loss_in_its_middle_is_no_other_speakers),
        T(a_panic_sends_all_that_waits_before_its_own_words),
        T(a_panic_overwrites_nothing_of_a_full_ring),
        T(a_panic_reports_though_the_holder_of_the_lock_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
