/* SPDX-License-Identifier: MIT */
/* The MC146818 by its data sheet: formats, setting, update, alarm, periodic interrupt, NVRAM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mc146818.h>
#include "fake_vm.h"

static struct vm *vm = &fake_vms[0];
#define NS    1000000000ull
#define T2026 1798761599ull /* 2026-12-31 23:59:59 UTC, a Thursday */

static u8 get(u8 i)
{
    fake_out(vm, 0x70, 1, i);
    return fake_in(vm, 0x71, 1);
}

static void set(u8 i, u8 v)
{
    fake_out(vm, 0x70, 1, i);
    fake_out(vm, 0x71, 1, v);
}

static int setup(void **state)
{
    fake_init();
    fake_wall_clock = T2026 * NS - host_now;
    assert_int_equal(pc_devices_create(vm), 0);
    fake_advance(1000); /* off the edge of the second */
    fake_timers_armed = 0;
    return 0;
}

static void tells_the_time_in_bcd(void **state)
{
    assert_int_equal(get(0), 0x59);
    assert_int_equal(get(2), 0x59);
    assert_int_equal(get(4), 0x23);
    assert_int_equal(get(6), 5);
    assert_int_equal(get(7), 0x31);
    assert_int_equal(get(8), 0x12);
    assert_int_equal(get(9), 0x26);
    assert_int_equal(get(0x32), 0x20);
    assert_int_equal(get(0xd), 0x80);
    fake_advance(NS);
    assert_int_equal(get(0), 0);
    assert_int_equal(get(4), 0);
    assert_int_equal(get(7), 1);
    assert_int_equal(get(8), 1);
    assert_int_equal(get(9), 0x27);
    assert_int_equal(get(6), 6);
}

static void binary_and_twelve_hours(void **state)
{
    set(0xb, 4);
    assert_int_equal(get(0), 59);
    assert_int_equal(get(4), 0x80 | 11);
    set(0xb, 0);
    assert_int_equal(get(4), 0x91);
    fake_advance(NS);
    assert_int_equal(get(4), 0x12); /* midnight is 12 am */
}

static void what_is_shown_is_what_is_meant(void **state)
{
    u8 reg[CENTURY + 1] = { 0 };
    for (u64 t = 0; t < 253402300800ull; t += DAY + 4271) { /* to the end of 9999 */
        reg[B] = t & (B_BINARY | B_24H);
        mc146818_set_time(reg, t);
        assert_int_equal(mc146818_time(reg), t);
    }
}

static void leap_days(void **state)
{
    set(0xb, 0x86);
    set(0, 59), set(2, 59), set(4, 23), set(7, 28), set(8, 2), set(9, 28), set(0x32, 20);
    set(0xb, 6);
    fake_advance(NS);
    assert_int_equal(get(7), 29);
    assert_int_equal(get(8), 2);
    fake_advance(86400 * NS);
    assert_int_equal(get(7), 1);
    assert_int_equal(get(8), 3);
    assert_int_equal(get(9), 28);
}

static void set_holds_the_time_still(void **state)
{
    set(0xb, 0x82);
    set(0, 0x10);
    fake_advance(5 * NS);
    assert_int_equal(get(0), 0x10);
    set(0xb, 2);
    fake_advance(5 * NS);
    assert_int_equal(get(0), 0x15);
    set(4, 0x04); /* without SET: this part changes, the others go on */
    assert_int_equal(get(4), 4);
    assert_int_equal(get(0), 0x15);
    fake_reset_devices(vm);
    assert_int_equal(get(4), 4); /* the clock survives */
}

static void announces_the_update(void **state)
{
    assert_int_equal(get(0xa), 0x26);
    fake_advance(NS - 200000);
    assert_int_equal(get(0xa), 0xa6);
    fake_advance(200000);
    assert_int_equal(get(0xa), 0x26);
}

static void flags_without_interrupts_cost_nothing(void **state)
{
    fake_advance(2 * NS);
    assert_int_equal(get(0xc) & 0x50, 0x50);
    assert_int_equal(get(0xc), 0);
    assert_int_equal(fake_timers_armed, 0);
    assert_int_equal(vm->rises[8], 0);
}

static void periodic_interrupt(void **state)
{
    set(0xb, 0x42);
    for (int i = 0; i < 1024; i++) {
        fake_advance(NS / 1024);
        if (vm->line[8])
            assert_int_equal(get(0xc) & 0xc0, 0xc0);
    }
    assert_in_range(vm->rises[8], 1020, 1024);
}

static void an_interrupt_that_nobody_takes_is_not_repeated(void **state)
{
    set(0xb, 0x42);
    fake_timers_armed = 0;
    fake_advance(10 * NS);
    assert_int_equal(vm->rises[8], 1);
    assert_int_equal(fake_timers_armed, 0);
}

static void update_interrupt_each_second(void **state)
{
    set(0xb, 0x12);
    for (int i = 0; i < 5; i++) {
        fake_advance(NS);
        assert_int_equal(get(0xc) & 0x90, 0x90);
    }
    assert_int_equal(vm->rises[8], 5);
}

static void alarm_at_a_time(void **state)
{
    set(1, 0x05), set(3, 0x00), set(5, 0x07);
    set(0xb, 0x22);
    fake_advance(7 * 3600 * NS);
    assert_int_equal(vm->rises[8], 0);
    fake_advance(6 * NS);
    assert_int_equal(vm->rises[8], 1);
    assert_int_equal(get(0xc) & 0xa0, 0xa0);
    fake_advance(86399 * NS);
    assert_int_equal(vm->rises[8], 1);
    fake_advance(NS);
    assert_int_equal(vm->rises[8], 2);
}

static void alarm_with_wild_cards(void **state)
{
    set(1, 0x30), set(3, 0xff), set(5, 0xc0);
    set(0xb, 0x22);
    unsigned n = 0;
    for (int i = 0; i < 600; i++) {
        fake_advance(NS);
        n += (get(0xc) & 0x20) != 0;
    }
    assert_int_equal(n, 10);
    set(1, 0xff), set(3, 0x20);
    for (n = 0; vm->line[8] == false && n < 3600; n++)
        fake_advance(NS);
    assert_int_equal(get(2), 0x20);
    assert_int_equal(get(0), 0x00);
}

static void alarm_at_an_hour_begins_with_it(void **state)
{
    set(1, 0xff), set(3, 0xff), set(5, 0x02);
    fake_advance(45 * 60 * NS); /* 00:44:59 */
    set(0xb, 0x22);
    fake_advance(4501 * NS);
    assert_int_equal(vm->rises[8], 1);
    assert_int_equal(get(4), 2);
    assert_int_equal(get(2), 0);
    assert_int_equal(get(0), 0);
}

static void nonsense_is_survived(void **state)
{
    set(1, 0x99), set(3, 0xbf), set(5, 0x7f);
    set(0xb, 0xf2);
    for (int i = 0; i < 10; i++)
        set(i, 0xff);
    set(0x32, 0xff);
    set(0xb, 0x72);
    fake_advance(5 * NS);
    for (int i = 0; i < 128; i++)
        get(i);
    set(8, 0), set(7, 0), set(0x32, 0), set(9, 0);
    fake_advance(5 * NS);
    get(0);
}

static void nvram_keeps_bytes_over_reset(void **state)
{
    set(0x0e, 0xaa);
    set(0x7f, 0x55);
    set(0xd, 0);
    fake_reset_devices(vm);
    assert_int_equal(get(0x0e), 0xaa);
    assert_int_equal(get(0xff), 0x55);
    assert_int_equal(get(0xd), 0x80);
}

static u32 word(u8 index) { return get(index) | get(index + 1) << 8; }

/* As a PC's firmware leaves it, whatever a guest has written there before. */
static void memory_has_its_size(void **state)
{
    static const struct {
        u64 low, high;
        u32 kib, pieces, above;
    } rows[] = {
        { 2 * MIB, 0, 1024, 0, 0 },       { 16 * MIB, 0, 15 * 1024, 0, 0 }, { 64 * MIB, 0, 63 * 1024, 768, 0 },
        { 128 * MIB, 0, 65535, 1792, 0 }, { 3 * GIB, 0, 65535, 48896, 0 },  { 3 * GIB, 64 * MIB, 65535, 48896, 1024 },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        vm->mem.n = rows[i].high ? 2 : 1;
        vm->mem.range[0].size = rows[i].low;
        vm->mem.range[1].size = rows[i].high;
        set(0x17, 0x11);
        set(0x5d, 0x11);
        fake_reset_devices(vm);
        assert_int_equal(word(0x15), 640);
        assert_int_equal(word(0x17), rows[i].kib);
        assert_int_equal(word(0x30), rows[i].kib);
        assert_int_equal(word(0x34), rows[i].pieces);
        assert_int_equal(word(0x5b) | get(0x5d) << 16, rows[i].above);
    }
}

static void memory_in_pieces_has_one_size(void **state)
{
    vm->mem.n = 2;
    vm->mem.range[0].size = 32 * MIB;
    vm->mem.range[1] = (struct guest_range){ 32 * MIB, vm->mem.range[1].host, 16 * MIB };
    fake_reset_devices(vm);
    assert_int_equal(word(0x30), 47 * 1024);
    assert_int_equal(word(0x34), 32 * 16);
}

/* Index and data by one access. */
static void a_word_is_two_bytes(void **state)
{
    fake_out(vm, 0x70, 2, 0x5a40);
    assert_int_equal(get(0x40), 0x5a);
    assert_int_equal(fake_in(vm, 0x70, 2) >> 8, 0x5a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tells_the_time_in_bcd, setup),
        cmocka_unit_test_setup(binary_and_twelve_hours, setup),
        cmocka_unit_test(what_is_shown_is_what_is_meant),
        cmocka_unit_test_setup(leap_days, setup),
        cmocka_unit_test_setup(set_holds_the_time_still, setup),
        cmocka_unit_test_setup(announces_the_update, setup),
        cmocka_unit_test_setup(flags_without_interrupts_cost_nothing, setup),
        cmocka_unit_test_setup(periodic_interrupt, setup),
        cmocka_unit_test_setup(an_interrupt_that_nobody_takes_is_not_repeated, setup),
        cmocka_unit_test_setup(update_interrupt_each_second, setup),
        cmocka_unit_test_setup(alarm_at_a_time, setup),
        cmocka_unit_test_setup(alarm_with_wild_cards, setup),
        cmocka_unit_test_setup(alarm_at_an_hour_begins_with_it, setup),
        cmocka_unit_test_setup(nonsense_is_survived, setup),
        cmocka_unit_test_setup(nvram_keeps_bytes_over_reset, setup),
        cmocka_unit_test_setup(memory_has_its_size, setup),
        cmocka_unit_test_setup(memory_in_pieces_has_one_size, setup),
        cmocka_unit_test_setup(a_word_is_two_bytes, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
