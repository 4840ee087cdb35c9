/* SPDX-License-Identifier: MIT */
/* The console multiplexer on the core's line, and interrupts of lent devices. */
#include "fake_guest.h"
#include <partition/pt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void tagged(u32 on) { *(u32 *)&pt()->flags = on; }
static void out(u32 id, const char *s)
{
    for (; *s; s++) {
        assert_int_equal(console_write(id, (const u8 *)s, 1), 1);
        console_send();
    }
}
static void in(const char *s, u32 n)
{
    memcpy(fake.line_in, s, n);
    fake.n_in = n;
    while (fake.n_in)
        console_poll();
}
static const char *got(u32 id)
{
    struct vuart *u = &vm_of(id)->uart;
    u->rx[u->rx_head] = 0;
    return (const char *)u->rx + u->rx_tail;
}
static void line_is(const char *s, u32 n)
{
    assert_int_equal(fake.n_line, n);
    assert_memory_equal(fake.line_out, s, n);
}

static void tagged_output_says_who_speaks(void **state)
{
    tagged(1);
    out(0, "ab");
    out(2, "c");
    out(2, "\xff");
    out(CONSOLE_KERNEL, "k");
    line_is("\xff\0ab\xff\2c\xff\xff\xff\xfek", 12);
}

static void people_hear_the_focused_guest_and_the_kernel(void **state)
{
    tagged(0);
    console_focus(1);
    out(0, "a");
    out(1, "b\xff");
    out(CONSOLE_KERNEL, "k");
    line_is("b\xffk", 3);
    in("x\x1d\x32y\x1d\x1d", 6);
    assert_string_equal(got(1), "x");
    assert_string_equal(got(2), "y\x1d");
    out(2, "c");
    line_is("b\xffkc", 4);
}

static void tagged_input_reaches_whom_it_names(void **state)
{
    tagged(1);
    in("\xff\1a\xff\xff\xff\2b\xff\177c\xff\0d", 14);
    assert_string_equal(got(1), "a\xff");
    assert_string_equal(got(2), "b");
    assert_string_equal(got(0), "d");
    assert_int_equal(fake.knocks,
                     4); /* three bytes for guests that do not run, and guest_input for the one that does */
}

static void who_does_not_read_loses_only_its_own(void **state)
{
    tagged(1);
    in("\xff\1", 2);
    for (u32 n = 0; n < 300; n++)
        in("x", 1);
    in("\xff\2y", 3);
    assert_int_equal((u8)(vm_of(1)->uart.rx_head - vm_of(1)->uart.rx_tail), 255);
    assert_string_equal(got(2), "y");
}

static void a_storm_on_the_line_is_taken_in_parts(void **state)
{
    tagged(1);
    fake.n_in = 60;
    console_poll();
    assert_int_equal(fake.n_in, 56);
}

/* What console_poll() puts out in one call. */
static u32 piece(void)
{
    u32 before = fake.n_line;
    console_poll();
    return fake.n_line - before;
}

static void nobody_waits_for_a_busy_line(void **state)
{
    u8 said[64];
    memset(said, 0xff, sizeof said);
    tagged(1);
    fake.busy = true;
    assert_int_equal(console_write(0, said, 64), 64);
    console_send();
    assert_int_equal(console_write(0, said, 64), 0);
    console_send();
    assert_int_equal(fake.looks, 2);
    assert_int_equal(fake.n_line, 0);
    assert_int_equal(fake.ier, 3);                             /* the transmitter's interrupt sends it */
    assert_int_equal(console_write(1, (const u8 *)"b", 1), 1); /* a neighbour has room */
    fake.busy = false;
    u32 pieces = 0;
    for (u32 n; (n = piece()); pieces++)
        assert_true(n <= 16);
    assert_in_range(pieces, 9, 12);
    assert_int_equal(fake.n_line, 2 + 2 * 64 + 2 + 1);
    assert_int_equal(fake.ier, 1);
    assert_memory_equal(fake.line_out + 2 + 2 * 64, "\xff\1b", 3);
}

static void a_full_transmitter_wakes_its_guest_when_half_is_out(void **state)
{
    u8 text[64] = { 0 };
    tagged(1);
    fake.busy = true;
    assert_int_equal(console_write(1, text, 64), 64);
    console_send();
    vm_of(1)->uart.full = 0x60;
    fake.busy = false;
    while (vm_of(1)->uart.full)
        assert_in_range(piece(), 1, 16);
    assert_in_range(console_room(1), 32, 32 + 14);
    assert_int_equal(fake.knocks, 1);
}

/* However many events a guest causes: one line at a time, and all guests in turn. */
static void events_are_told_one_line_at_a_time(void **state)
{
    tagged(1);
    fake.busy = true;
    fake.looks = 0;
    for (u32 n = 0; n < 1000; n++)
        hal_report_event(2, "fault", n, 0);
    hal_report_event(1, "reset", 1, 2);
    assert_int_equal(fake.looks, 0);
    console_poll();
    console_poll();
    assert_int_equal(fake.n_line, 0);
    assert_int_equal(console_room(CONSOLE_KERNEL), CONSOLE_KERNEL_QUOTA - 42);
    fake.busy = false;
    while (fake.ier & 2)
        console_poll();
    line_is("amalgam: core 0: reset 00000001 00000002\r\n"
            "amalgam: core 0: fault 000003e7 00000000\r\n",
            42 + 42);
}

static void the_alarm_comes_before_the_line(void **state)
{
    u8 text[64] = { 0 };
    console_write(0, text, 64);
    console_send();
    fake_tsr = TSR_PIS;
    fake_time = 77;
    assert_int_equal(piece(), 0);
    assert_int_equal(fake.ier, 1);
    assert_int_equal(core.window_due, 77);
    fake_tsr = 0; /* alarm_passed() */
    console_alarm_passed();
    assert_int_equal(fake.ier, 3);
    assert_in_range(piece(), 1, 16);
}

static void the_end_of_a_run_waits_for_the_line(void **state)
{
    tagged(1);
    fake.busy = true;
    console_write(0, (const u8 *)"end", 3);
    console_drain(); /* a dead line holds nothing up for ever */
    assert_int_equal(fake.n_line, 0);
    hal_report_event(1, "fault", 1, 2);
    fake.busy = false;
    console_drain();
    line_is("\xff\0end\xff\xfe"
            "amalgam: core 0: fault 00000001 00000002\r\n",
            5 + 2 + 42);
}

static int setup(void **state)
{
    fake.busy = false;
    console_drain(); /* what a failed test left */
    fake_guest_setup(state);
    console_init();
    console_write(CONSOLE_KERNEL, (const u8 *)"", 1); /* as if the kernel had spoken last */
    tagged(1);
    console_drain();
    fake.n_line = fake.looks = 0;
    return 0;
}

static void a_lent_interrupt_is_masked_until_its_guest_cares(void **state)
{
    struct pt_vm *conf = (struct pt_vm *)vm_of(1)->conf;
    conf->irq_mask = 0x40000000;
    irq_init();
    vuic_write(vm_of(1), UIC_ER, ~0u);
    assert_int_equal(fake_dcr[DCR_UIC + UIC_ER], 0xc0000000);
    fake_dcr[DCR_UIC + UIC_MSR] = 0x40000000;
    irq_external();
    assert_int_equal(fake_dcr[DCR_UIC + UIC_ER], 0x80000000);
    assert_int_equal(vm_of(1)->pending, VMP_EXTERNAL);
    assert_int_equal(vuic_read(vm_of(1), UIC_SR), 0x40000000);
    assert_int_equal(vm_of(0)->pending, 0);
    vuic_write(vm_of(1), UIC_SR, 0x40000000);
    assert_int_equal(vm_of(1)->pending, 0);
    assert_int_equal(fake_dcr[DCR_UIC + UIC_ER], 0xc0000000);
    vuic_write(vm_of(0), UIC_ER, ~0u); /* not its device */
    vuic_write(vm_of(1), UIC_ER, 0);
    assert_int_equal(fake_dcr[DCR_UIC + UIC_ER], 0x80000000);
}

/* Each core has a controller of its own, so one number is a different input on each. */
static void a_lent_interrupt_is_for_a_guest_of_its_core(void **state)
{
    for (u32 id = 0; id < 2; id++) {
        struct pt_vm *conf = (struct pt_vm *)vm_of(id)->conf;
        conf->irq_mask = 0x40000000;
        conf->cores = (u8)(1u << id);
        vuic_write(vm_of(id), UIC_ER, ~0u);
    }
    core.id = 1;
    core.current = vm_of(1);
    fake_dcr[DCR_UIC + UIC_MSR] = 0x40000000;
    irq_external();
    core.id = 0;
    assert_int_equal(vm_of(0)->pending, 0);
    assert_int_equal(vm_of(1)->pending, VMP_EXTERNAL);
}

static void a_guest_starts_with_its_timers_at_now(void **state)
{
    guest->timers.tsr = ~0u; /* looked at while it was loaded */
    fake_time = 77;
    devices_reset(guest);
    assert_int_equal(guest->timers.tsr, 0);
    assert_int_equal(guest->timers.seen, 77);
}

/* The head stays: the core that receives may append at this moment. */
static void what_was_typed_before_a_start_is_gone(void **state)
{
    tagged(1);
    in("\xff\1ab", 4);
    devices_reset(vm_of(1));
    assert_int_equal(vm_of(1)->uart.rx_head, 2);
    assert_string_equal(got(1), "");
    in("\xff\1c", 3);
    assert_string_equal(got(1), "c");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(tagged_output_says_who_speaks),
        T(people_hear_the_focused_guest_and_the_kernel),
        T(tagged_input_reaches_whom_it_names),
        T(who_does_not_read_loses_only_its_own),
        T(a_storm_on_the_line_is_taken_in_parts),
        T(a_lent_interrupt_is_masked_until_its_guest_cares),
        T(a_lent_interrupt_is_for_a_guest_of_its_core),
        T(a_guest_starts_with_its_timers_at_now),
        T(what_was_typed_before_a_start_is_gone),
        T(nobody_waits_for_a_busy_line),
        T(a_full_transmitter_wakes_its_guest_when_half_is_out),
        T(events_are_told_one_line_at_a_time),
        T(the_end_of_a_run_waits_for_the_line),
        T(the_alarm_comes_before_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
