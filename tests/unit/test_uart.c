/* SPDX-License-Identifier: MIT */
/* The 16550A by its data sheet, and how output reaches the console. */
#include <errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "fake_vm.h"

static struct vm *vm = &fake_vms[0];
enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCR };

static u8 get(unsigned r) { return fake_in(vm, 0x3f8 + r, 1); }
static void set(unsigned r, u8 v) { fake_out(vm, 0x3f8 + r, 1, v); }

static int setup(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_UART };
    fake_init();
    assert_int_equal(uart_create(vm, &conf), 0);
    set(MCR, 8);
    return 0;
}

static void says(const char *text)
{
    assert_int_equal(vm->console_n, strlen(text));
    assert_memory_equal(vm->console, text, vm->console_n);
}

static void type(const char *text)
{
    for (; *text; text++)
        uart_input(vm, *text);
}

static void print(const char *text)
{
    for (; *text; text++) {
        assert_int_equal(get(LSR) & 0x60, 0x60);
        set(DATA, *text);
    }
}

static void power_on_state(void **state)
{
    assert_int_equal(get(IER), 0);
    assert_int_equal(get(IIR), 1);
    assert_int_equal(get(LSR), 0x60);
    assert_int_equal(get(MSR), 0xb0);
    assert_int_equal(get(DATA), 0);
}

static void scratch_and_divisor(void **state)
{
    set(SCR, 0x5a);
    assert_int_equal(get(SCR), 0x5a);
    set(LCR, 0x83);
    set(DATA, 1);
    set(IER, 2);
    assert_int_equal(get(DATA), 1);
    assert_int_equal(get(IER), 2);
    set(LCR, 3);
    assert_int_equal(get(IER), 0);
    assert_int_equal(get(LCR), 3);
    says("");
}

static void only_four_interrupt_enables(void **state)
{
    set(IER, 0xff);
    assert_int_equal(get(IER), 0x0f);
    set(MCR, 0xff);
    assert_int_equal(get(MCR), 0x1f);
}

static void a_line_goes_out_at_once_and_in_one_piece(void **state)
{
    print("hello, world");
    assert_int_equal(vm->console_calls, 0);
    print("\n");
    says("hello, world\n");
    assert_int_equal(vm->console_calls, 1);
}

static void a_prompt_goes_out_in_time(void **state)
{
    print("~ # ");
    fake_advance(2000000);
    says("~ # ");
    assert_int_equal(fake_timers_armed, 1); /* once a buffer, not a byte */
    fake_advance(100000000);
    assert_int_equal(fake_timers_armed, 1);
}

static void a_control_write_flushes(void **state)
{
    print("~ # ");
    set(IER, 0);
    says("~ # ");
}

static void a_long_line_is_cut(void **state)
{
    for (int i = 0; i < 130; i++)
        set(DATA, 'x');
    assert_int_equal(vm->console_calls, 2);
    assert_int_equal(vm->console_n, 128);
}

static void transmitter_empty_interrupts(void **state)
{
    set(IER, 2);
    assert_true(vm->line[4]);
    assert_int_equal(get(IIR), 2);
    assert_false(vm->line[4]); /* reading it clears it */
    assert_int_equal(get(IIR), 1);
    set(DATA, 'x');
    assert_true(vm->line[4]);
    assert_int_equal(get(IIR), 2);
    set(IER, 0);
    set(IER, 2); /* the probe of Linux: enabling raises it again */
    assert_int_equal(get(IIR), 2);
}

static void received_data_interrupts(void **state)
{
    set(IER, 1);
    type("a");
    assert_true(vm->line[4]);
    assert_int_equal(get(IIR), 4);
    assert_int_equal(get(LSR), 0x61);
    assert_int_equal(get(DATA), 'a');
    assert_false(vm->line[4]);
    assert_int_equal(get(LSR), 0x60);
}

static void out2_gates_the_line(void **state)
{
    set(MCR, 0);
    set(IER, 3);
    type("a");
    assert_false(vm->line[4]);
    set(MCR, 8);
    assert_true(vm->line[4]);
}

static void trigger_level_and_timeout(void **state)
{
    set(IIR, 0x81); /* FIFO on, 8 bytes */
    set(IER, 1);
    type("1234567");
    assert_int_equal(get(IIR), 0xcc); /* fewer than the level: timed out */
    type("8");
    assert_int_equal(get(IIR), 0xc4);
}

static void typed_ahead_input_waits(void **state)
{
    for (int i = 0; i < 257; i++) /* one in the receiver, the others wait */
        uart_input(vm, i);
    assert_int_equal(get(LSR), 0x61);
    uart_input(vm, 'x');
    assert_int_equal(get(LSR), 0x63); /* overrun, */
    assert_int_equal(get(LSR), 0x61); /* told once */
    for (int i = 0; i < 257; i++)
        assert_int_equal(get(DATA), i & 0xff);
    assert_int_equal(get(LSR), 0x60);
}

static void typed_bytes_keep_their_order_over_the_end_of_their_numbers(void **state)
{
    for (int i = 0; i < 70000; i += 100) {
        for (int n = i; n < i + 100; n++)
            uart_input(vm, (u8)n);
        for (int n = i; n < i + 100; n++)
            assert_int_equal(get(DATA), (u8)n);
    }
    assert_int_equal(get(LSR), 0x60);
}

static void line_status_interrupt_comes_first(void **state)
{
    set(IER, 0xf);
    for (int i = 0; i < 258; i++)
        uart_input(vm, i);
    assert_int_equal(get(IIR), 6);
    get(LSR);
    assert_int_equal(get(IIR), 4);
}

/* By loopback: what is sent is received until there is no room. */
static unsigned bytes_until_overrun(u8 fcr)
{
    unsigned n = 0;
    set(IIR, fcr);
    set(MCR, 0x10);
    for (set(DATA, 0); !(get(LSR) & 2); set(DATA, n))
        n++;
    return n;
}

static void the_receiver_is_16_deep_or_1(void **state)
{
    assert_int_equal(bytes_until_overrun(7), 16);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(get(DATA), i);
    assert_int_equal(get(LSR), 0x60);
    assert_int_equal(bytes_until_overrun(0), 1);
    set(IIR, 7);
    set(DATA, 'x');
    assert_int_equal(get(LSR), 0x61);
    set(IIR, 7); /* clears it */
    assert_int_equal(get(LSR), 0x60);
}

/* Loopback cuts the line: what is typed meanwhile is no part of it, and not lost. */
static void typed_input_stays_out_of_the_loop(void **state)
{
    set(IIR, 1);
    set(MCR, 0x10);
    type("typed");
    assert_int_equal(get(LSR), 0x60);
    set(DATA, 'q');
    assert_int_equal(get(DATA), 'q');
    assert_int_equal(get(LSR), 0x60);
    set(IIR, 3);
    set(MCR, 8);
    for (const char *c = "typed"; *c; c++)
        assert_int_equal(get(DATA), *c);
    assert_int_equal(get(LSR), 0x60);
}

static void a_wide_access_is_one_a_byte(void **state)
{
    fake_out(vm, 0x3fe, 2, 0xa500); /* MSR, which is read-only, and SCR */
    assert_int_equal(get(SCR), 0xa5);
    assert_int_equal(fake_in(vm, 0x3fe, 2), 0xa5b0);
    fake_out(vm, 0x3fc, 4, 0x3c000008);
    assert_int_equal(get(SCR), 0x3c);
    assert_int_equal(get(MCR), 8);
}

static void clearing_the_fifo_drops_at_most_what_it_holds(void **state)
{
    set(IIR, 1);
    type("0123456789abcdefXYZ");
    set(IIR, 3);
    assert_int_equal(get(DATA), 'X');
}

static void loopback(void **state)
{
    set(MCR, 0x10);
    assert_int_equal(get(MSR) & 0xf0, 0);
    set(MCR, 0x1a);
    assert_int_equal(get(MSR) & 0xf0, 0x90); /* what the Linux probe wants to see */
    set(DATA, 'q');
    assert_int_equal(get(LSR), 0x61);
    assert_int_equal(get(DATA), 'q');
    set(MCR, 8);
    fake_advance(10000000);
    says("");
}

static void modem_status_changes(void **state)
{
    set(IER, 8);
    set(MCR, 0x18); /* loop: DSR and CTS drop, DCD stays */
    assert_int_equal(get(IIR), 0);
    assert_true(vm->line[4]);
    assert_int_equal(get(MSR), 0x83);
    assert_int_equal(get(MSR), 0x80);
    assert_int_equal(get(IIR), 1);
}

static void four_ports(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_UART, .slot = 1 };
    assert_int_equal(uart_create(vm, &conf), 0);
    fake_out(vm, 0x2fc, 1, 8);
    fake_out(vm, 0x2f9, 1, 2);
    assert_true(vm->line[3]);
    conf.slot = 4;
    assert_int_equal(uart_create(vm, &conf), -ERANGE);
    type("a"); /* the first port has the input */
    assert_int_equal(get(DATA), 'a');
}

static void reset_forgets(void **state)
{
    set(IER, 3);
    type("abc");
    print("x");
    assert_int_equal(fake_timers(), 1);
    fake_reset_devices(vm);
    assert_int_equal(fake_timers(), 0); /* its memory may go now */
    assert_false(vm->line[4]);
    power_on_state(state);
    says("x");
}

/* It would wait with interrupts off: the guest comes back instead, as often as it takes, and says nothing twice. */
static void a_late_line_waits_for_a_busy_console(void **state)
{
    print("prompt> ");
    fake_busy = 2;
    fake_advance(3000000);
    assert_int_equal(vm->console_n, 0);
    fake_advance(2000000);
    assert_int_equal(vm->console_n, 0);
    fake_advance(2000000);
    assert_int_equal(vm->console_n, 8);
    assert_int_equal(fake_timers(), 0);
}

static void a_guest_waits_for_a_busy_console_in_its_own_time(void **state)
{
    print("login:");
    fake_busy = 3;
    set(DATA, '\n');
    assert_int_equal(fake_repeats, 3);
    says("login:\n");
    for (unsigned i = 0; i < 63; i++)
        set(DATA, 'x');
    fake_busy = 2;
    set(DATA, 'x'); /* the 64th */
    assert_int_equal(fake_repeats, 2);
    assert_int_equal(vm->console_n, 7 + 64);
}

/* A control register is written at once; the text goes out when the console takes it. */
static void a_control_write_does_not_wait(void **state)
{
    print("# ");
    fake_busy = 2;
    set(IER, 0);
    assert_int_equal(fake_repeats, 0);
    says("");
    fake_advance(2000000); /* still busy */
    says("");
    fake_advance(2000000);
    says("# ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(power_on_state, setup),
        cmocka_unit_test_setup(scratch_and_divisor, setup),
        cmocka_unit_test_setup(only_four_interrupt_enables, setup),
        cmocka_unit_test_setup(a_line_goes_out_at_once_and_in_one_piece, setup),
        cmocka_unit_test_setup(a_prompt_goes_out_in_time, setup),
        cmocka_unit_test_setup(a_control_write_flushes, setup),
        cmocka_unit_test_setup(a_long_line_is_cut, setup),
        cmocka_unit_test_setup(transmitter_empty_interrupts, setup),
        cmocka_unit_test_setup(received_data_interrupts, setup),
        cmocka_unit_test_setup(out2_gates_the_line, setup),
        cmocka_unit_test_setup(trigger_level_and_timeout, setup),
        cmocka_unit_test_setup(typed_ahead_input_waits, setup),
        cmocka_unit_test_setup(typed_bytes_keep_their_order_over_the_end_of_their_numbers, setup),
        cmocka_unit_test_setup(line_status_interrupt_comes_first, setup),
        cmocka_unit_test_setup(the_receiver_is_16_deep_or_1, setup),
        cmocka_unit_test_setup(typed_input_stays_out_of_the_loop, setup),
        cmocka_unit_test_setup(a_wide_access_is_one_a_byte, setup),
        cmocka_unit_test_setup(clearing_the_fifo_drops_at_most_what_it_holds, setup),
        cmocka_unit_test_setup(loopback, setup),
        cmocka_unit_test_setup(modem_status_changes, setup),
        cmocka_unit_test_setup(four_ports, setup),
        cmocka_unit_test_setup(reset_forgets, setup),
        cmocka_unit_test_setup(a_late_line_waits_for_a_busy_console, setup),
        cmocka_unit_test_setup(a_guest_waits_for_a_busy_console_in_its_own_time, setup),
        cmocka_unit_test_setup(a_control_write_does_not_wait, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
