/* SPDX-License-Identifier: MIT */
/*
 * COM2 of a PC (board/pc/uart.c) as the kernel boots, with a line into an I/O APIC: an edge at an input that is masked
 * is ignored, and one that is unmasked later needs another edge. The test is both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <core/console.h>
#include <types.h>

#define COM2 0x2f8

static u8 scratch, enabled, waiting; /* bytes that nobody has read */
static bool divisor, line, routed;
static unsigned interrupts;

/* The line is high while an enabled condition holds: a byte waits, the transmitter is empty. */
static void drive_line(void)
{
    bool high = (enabled & CONSOLE_IRQ_RX && waiting) || enabled & CONSOLE_IRQ_TX;
    interrupts += high && !line && routed;
    line = high;
}

static u8 inb(u16 port)
{
    if (port == COM2)
        waiting -= waiting > 0;
    drive_line();
    return port == COM2 + 7 ? scratch : port == COM2 + 5 ? 0x60 | (waiting > 0) : 0xff;
}

static void outb(u16 port, u8 value)
{
    if (port == COM2 + 7)
        scratch = value;
    else if (port == COM2 + 3)
        divisor = value & 0x80;
    else if (port == COM2 + 1 && !divisor)
        enabled = value & 15;
    else if (port == COM2 + 2 && value & 2)
        waiting = 0;
    drive_line();
}

static void type_byte(void)
{
    waiting++;
    drive_line();
}

#include "board/pc/uart.c"

static void a_byte_that_comes_before_the_line_is_routed_interrupts_when_it_is(void **state)
{
    assert_true(uart_present(1));
    type_byte();
    routed = true;
    type_byte();
    uart_irqs(1, CONSOLE_IRQ_RX); /* as boot/main.c */
    assert_int_equal(interrupts, 1);
    assert_true(uart_getc(1) >= 0 && uart_getc(1) >= 0);
    assert_int_equal(uart_getc(1), -1);
    type_byte();
    assert_int_equal(interrupts, 2);
}

static void an_absent_port_takes_everything_and_gives_nothing(void **state)
{
    assert_false(uart_present(0) || uart_present(2));
    assert_int_equal(uart_put(0, (const u8 *)"ab", 2), 2);
    assert_int_equal(uart_getc(0), -1);
    uart_irqs(0, CONSOLE_IRQ_RX);
    assert_false(enabled & CONSOLE_IRQ_TX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_that_comes_before_the_line_is_routed_interrupts_when_it_is),
        cmocka_unit_test(an_absent_port_takes_everything_and_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
