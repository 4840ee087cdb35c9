/* SPDX-License-Identifier: MIT */
/* The console multiplexer on the core's line, and interrupts of lent devices. */
#include "fake_guest.h"
#include <core/table.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void tagged(u32 on) { *(u32 *)&pt()->flags = on; }
static void out(u32 id, const char *s)
{
    while (*s)
        console_putc(id, (u8)*s++);
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
    return (const char *)u->rx;
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
    assert_int_equal(fake.knocks, 4); /* three bytes for guests that do not run, and uart_poll for the one that does */
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
    assert_int_equal(fake.n_in, 44);
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

static void a_guest_starts_with_its_timers_at_now(void **state)
{
    guest->timers.tsr = ~0u; /* looked at while it was loaded */
    fake_time = 77;
    devices_reset(guest);
    assert_int_equal(guest->timers.tsr, 0);
    assert_int_equal(guest->timers.seen, 77);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, fake_guest_setup)
    const struct CMUnitTest tests[] = {
        T(tagged_output_says_who_speaks),         T(people_hear_the_focused_guest_and_the_kernel),
        T(tagged_input_reaches_whom_it_names),    T(who_does_not_read_loses_only_its_own),
        T(a_storm_on_the_line_is_taken_in_parts), T(a_lent_interrupt_is_masked_until_its_guest_cares),
        T(a_guest_starts_with_its_timers_at_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
