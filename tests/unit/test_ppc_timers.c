/* SPDX-License-Identifier: MIT */
/* PIT, FIT and watchdog of a guest: PPC405 UM chapter 11, at times that wrap and after long absences. */
#include "fake_guest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define START 0xffffff00u /* the time base wraps in the middle of things */

static int set_up(void **state)
{
    fake_guest_setup(state);
    fake_time = guest->timers.seen = START;
    return 0;
}
static void at(u32 offset)
{
    fake_time = START + offset;
    guest_timers_run(guest, fake_time);
}

/* When the guest's timers want to be looked at; false: they do not. */
static bool timers_next(const struct vm *vm, u32 *due)
{
    u32 left = guest_timers_left(vm, fake_time);
    *due = fake_time + left;
    return left != TIMERS_FAR;
}

static void the_pit_expires_once(void **state)
{
    u32 due;
    timer_write(guest, SPR_TCR, TCR_PIE);
    timer_write(guest, SPR_PIT, 1000);
    assert_true(timers_next(guest, &due));
    assert_int_equal(due, START + 1000);
    at(999);
    assert_int_equal(timer_read(guest, SPR_PIT), 1);
    assert_int_equal(guest->pending, 0);
    at(1000);
    assert_int_equal(guest->pending, VMP_PIT);
    assert_int_equal(timer_read(guest, SPR_PIT), 0);
    assert_false(timers_next(guest, &due));
    timer_write(guest, SPR_TSR, TSR_PIS);
    assert_int_equal(guest->pending, 0);
    at(1000000);
    assert_int_equal(guest->pending, 0);
}

static void reloading_keeps_the_phase_however_late(void **state)
{
    u32 due;
    timer_write(guest, SPR_TCR, TCR_PIE | TCR_ARE);
    timer_write(guest, SPR_PIT, 1000);
    at(7321);
    assert_int_equal(guest->pending, VMP_PIT);
    assert_int_equal(timer_read(guest, SPR_PIT), 679);
    assert_false(timers_next(guest, &due)); /* it is pending already */
    timer_write(guest, SPR_TSR, TSR_PIS);
    assert_true(timers_next(guest, &due));
    assert_int_equal(due, START + 8000);
}

static void without_pie_the_pit_only_sets_its_bit(void **state)
{
    u32 due;
    timer_write(guest, SPR_PIT, 10);
    assert_false(timers_next(guest, &due));
    at(20);
    timer_write(guest, SPR_TSR, ~TSR_PIS);
    assert_int_equal(timer_read(guest, SPR_TSR) & TSR_PIS, TSR_PIS);
    assert_int_equal(guest->pending, 0);
    timer_write(guest, SPR_TCR, TCR_PIE);
    assert_int_equal(guest->pending, VMP_PIT);
}

static void writing_0_stops_the_pit(void **state)
{
    timer_write(guest, SPR_TCR, TCR_PIE);
    timer_write(guest, SPR_PIT, 100);
    timer_write(guest, SPR_PIT, 0);
    at(500);
    assert_int_equal(timer_read(guest, SPR_TSR) & TSR_PIS, 0);
}

static void a_very_long_pit_is_not_due_at_once(void **state)
{
    u32 due;
    timer_write(guest, SPR_TCR, TCR_PIE);
    timer_write(guest, SPR_PIT, 0xffffffff);
    assert_false(timers_next(guest, &due));
    at(0xd0000000);
    assert_int_equal(guest->pending, 0);
    assert_int_equal(timer_read(guest, SPR_PIT), 0x2fffffff);
    assert_true(timers_next(guest, &due));
    assert_int_equal(due, START + 0xffffffff);
}

/* It is looked at often enough, as the alarm comes after TIMERS_FAR at the latest. */
static void the_longest_pit_expires(void **state)
{
    for (u32 n = 0; n < 16; n++) {
        u32 length = 0xffffffff - n;
        set_up(state);
        timer_write(guest, SPR_TCR, TCR_PIE);
        timer_write(guest, SPR_PIT, length);
        for (u64 gone = 0; gone < length;) {
            assert_int_equal(guest->pending, 0);
            u32 left = guest_timers_left(guest, fake_time);
            assert_in_range(left, 1, TIMERS_FAR);
            gone += left;
            at((u32)gone + 7 * (gone >= length)); /* some ticks late */
        }
        assert_int_equal(guest->pending, VMP_PIT);
        assert_int_equal(timer_read(guest, SPR_PIT), 0);
    }
}

/* A VM that moves to another core may find a clock that is behind by some microseconds. */
static void a_clock_that_is_behind_expires_no_pit(void **state)
{
    timer_write(guest, SPR_TCR, TCR_PIE | TCR_ARE);
    fake_time = START + 5000;
    timer_write(guest, SPR_PIT, 100000);
    at(2000);
    assert_int_equal(guest->pending, 0);
    at(104999);
    assert_int_equal(guest->pending, 0);
    at(105000);
    assert_int_equal(guest->pending, VMP_PIT);
}

static void the_fit_comes_when_its_bit_rises(void **state)
{
    static const u32 period[4] = { 1u << 9, 1u << 13, 1u << 17, 1u << 21 };
    for (u32 fp = 0; fp < 4; fp++) {
        u32 due, rises;
        set_up(state);
        timer_write(guest, SPR_TCR, TCR_FIE | fp << 24);
        assert_true(timers_next(guest, &due));
        rises = due - (due % period[fp]) + period[fp] / 2;
        assert_int_equal(due, rises);
        assert_in_range(due - START, 1, period[fp]);
        at(due - START - 1);
        assert_int_equal(guest->pending, 0);
        at(due - START);
        assert_int_equal(guest->pending, VMP_FIT);
        timer_write(guest, SPR_TSR, TSR_FIS);
        at(due - START + period[fp] - 1);
        assert_int_equal(guest->pending, 0);
        at(due - START + period[fp]);
        assert_int_equal(guest->pending, VMP_FIT);
    }
}

static void the_watchdog_warns_interrupts_and_bites(void **state)
{
    u32 due;
    timer_write(guest, SPR_TCR, TCR_WIE | 0x20000000); /* WP 0: 2^17; WRC: chip reset */
    for (u32 n = 0; n < 3; n++) {
        assert_int_equal(guest->part.taken, 0);
        assert_int_equal(timer_read(guest, SPR_TSR) & (TSR_ENW | TSR_WIS), n == 0   ? 0
                                                                           : n == 1 ? TSR_ENW
                                                                                    : TSR_ENW | TSR_WIS);
        assert_int_equal(guest->pending, n == 2 ? VMP_WDT : 0);
        assert_true(timers_next(guest, &due));
        at(due - START);
    }
    assert_int_equal(guest->part.taken, ORDER_RESET); /* the scheduler ends it, not the timer's own code */
    assert_int_equal(timer_read(guest, SPR_TSR) & 0x30000000, 0x20000000);
}

static void a_look_at_an_earlier_time_changes_nothing(void **state)
{
    timer_write(guest, SPR_TCR, TCR_WIE);
    guest_timers_run(guest, fake_time - 5);
    assert_int_equal(timer_read(guest, SPR_TSR), 0);
}

static void a_long_absence_bites_once(void **state)
{
    timer_write(guest, SPR_TCR, 0x10000000);
    at(0x10000000);
    assert_int_equal(guest->part.taken, ORDER_RESET);
}

static void a_served_watchdog_does_not_bite(void **state)
{
    timer_write(guest, SPR_TCR, 0x10000000);
    for (u32 n = 1; n < 50; n++) {
        at(n << 17);
        timer_write(guest, SPR_TSR, TSR_ENW | TSR_WIS);
    }
    assert_int_equal(guest->part.taken, 0);
}

static void the_reset_action_cannot_be_taken_back(void **state)
{
    timer_write(guest, SPR_TCR, 0x10000000);
    timer_write(guest, SPR_TCR, 0xffffffff & ~0x30000000u);
    assert_int_equal(timer_read(guest, SPR_TCR), 0xdfc00000);
}

static void every_write_sets_the_alarm(void **state)
{
    timer_write(guest, SPR_PIT, 5);
    timer_write(guest, SPR_TCR, TCR_PIE);
    assert_int_equal(fake.alarms, 2);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, set_up)
    const struct CMUnitTest tests[] = {
        T(the_pit_expires_once),
        T(reloading_keeps_the_phase_however_late),
        T(without_pie_the_pit_only_sets_its_bit),
        T(writing_0_stops_the_pit),
        T(a_very_long_pit_is_not_due_at_once),
        T(the_longest_pit_expires),
        T(a_clock_that_is_behind_expires_no_pit),
        T(the_fit_comes_when_its_bit_rises),
        T(the_watchdog_warns_interrupts_and_bites),
        T(a_look_at_an_earlier_time_changes_nothing),
        T(a_long_absence_bites_once),
        T(a_served_watchdog_does_not_bite),
        T(the_reset_action_cannot_be_taken_back),
        T(every_write_sets_the_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
