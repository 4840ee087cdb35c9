/* SPDX-License-Identifier: MIT */
/*
 * The wall clock of a PC whose counter's rate was measured over 20 ms (arch/x86/boot/rate.c, board/pc/clock.c), beside
 * the true time. Reading the reference takes a microsecond, and now and then much longer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <arch/boot.h>
#include <core/cpu.h>
#include <hal/time.h>
#include <mc146818.h>

#define HZ     2400000000ull /* of the counter, truly */
#define SECOND 1000000000ull
#define A_DAY  (86400 * SECOND)
#define MARK   1700000000ull /* what the board's clock says, in seconds */

static struct cpu core;
struct cpu *host_this_cpu = &core;
bool host_irq_on;
ticks_t host_now;
u64 time_hz;
static u64 stall; /* how long the host stops this core in each reading */
static unsigned reads, sleeps;

static u64 product(u64 a, u64 b, u64 c) { return (u64)((unsigned __int128)a * b / c); }
u64 mul_div(u64 a, u64 b, u64 c)
{
    assert_true(c < 1ull << 32); /* hal/time.h */
    return product(a, b, c);
}
u64 time_to_ns(ticks_t t) { return product(t, SECOND, time_hz); }
ticks_t time_from_ns(u64 ns) { return product(ns, time_hz, SECOND); }
static u64 true_ns(void) { return product(host_now, SECOND, HZ); }
static void pass(u64 ns) { host_now += product(ns, HZ, SECOND); }

static u64 read_reference(void);
static struct time_reference reference = { "reference", 0, 0, read_reference };
const struct time_reference *time_measured_by = &reference;

static u64 read_reference(void)
{
    static unsigned n;
    reads++;
    assert_true(host_irq_on);
    pass(++n % 5 ? 1000 : 300000);
    u64 value = product(true_ns(), reference.hz, SECOND) + 12345;
    pass(stall);
    return value & reference.mask;
}

static u8 index_of_clock;
static void outb(u16 port, u8 v) { index_of_clock = v; }
static u8 inb(u16 port) { return index_of_clock == 0xa ? 0x26 : 0; }
u64 mc146818_time(const u8 *reg) { return MARK; }
#include "board/pc/clock.c"

/* HLT: nothing to do for a second. */
static void sleep_a_second(void)
{
    sleeps++;
    pass(SECOND);
}
#define __asm__
#define volatile(...) sleep_a_second()
#include "arch/x86/boot/rate.c"
#undef __asm__
#undef volatile

static const struct {
    const char *name;
    u64 hz, mask;
} references[] = { { "PM timer", 3579545, 0xffffff },
                   { "PM timer, 32 bits", 3579545, 0xffffffff },
                   { "HPET", 14318180, 0xffffffff },
                   { "HPET, fast", 100000000, 0xffffffff },
                   { "PIT", 1193182, 0xffff } };
static const int errors[] = { 0, 6, -6, 14, -14, 42, -42 }; /* of the first rate, in ppm */

static void boot(unsigned i, int ppm)
{
    reference.hz = references[i].hz;
    reference.mask = references[i].mask;
    time_hz = (u64)((s64)HZ + (s64)HZ / 1000000 * ppm);
    host_now = HZ;
    core.id = 0;
    host_irq_on = false;
    first = (struct reading){ 0 };
    due = AFTER_BOOT;
    fast = 0;
    since = stall = reads = sleeps = 0;
    read_clock();
}

static void idle(unsigned seconds)
{
    for (u64 end = true_ns() + seconds * SECOND; true_ns() < end;) {
        hal_idle();
        assert_false(host_irq_on);
    }
}

/* How far the wall clock has gone wrong since `wall` and `now`, in nanoseconds. */
static u64 wrong(u64 wall, u64 now)
{
    s64 off = (s64)(hal_wall_clock_ns() - wall - (true_ns() - now));
    return (u64)(off < 0 ? -off : off);
}

static void for_all(void (*check)(unsigned reference, int ppm))
{
    for (unsigned i = 0; i < ARRAY_SIZE(references); i++)
        for (unsigned e = 0; e < ARRAY_SIZE(errors); e++) {
            boot(i, errors[e]);
            check(i, errors[e]);
        }
}

static void goes_right(unsigned i, int ppm)
{
    idle(30);
    u64 wall = hal_wall_clock_ns(), now = true_ns();
    pass(A_DAY);
    assert_in_range(wrong(wall, now), 0, A_DAY / 1000000000 * 200); /* 0.2 ppm */
}

static void after_ten_seconds_of_idle_the_wall_clock_goes_right(void **state) { for_all(goes_right); }

static void never_jumps(unsigned i, int ppm)
{
    u64 wall = hal_wall_clock_ns();
    for (unsigned n = 0; n < 300; n++) {
        u64 before = true_ns();
        if (n % 3 == 0)
            hal_idle();
        else
            pass(SECOND / 10);
        u64 now = hal_wall_clock_ns(), passed = true_ns() - before;
        assert_in_range(now - wall, passed - passed / 10000 - 2, passed + passed / 10000 + 2);
        wall = now;
    }
    assert_true(due == TICKS_NEVER);
}

static void the_wall_clock_never_jumps_or_goes_back(void **state) { for_all(never_jumps); }

static void is_busy_first(unsigned i, int ppm)
{
    idle(5);
    pass(3 * 3600 * SECOND); /* too long for a reference that comes round */
    goes_right(i, ppm);
}

static void a_core_that_was_busy_for_long_measures_later(void **state) { for_all(is_busy_first); }

/* 2 to 2,000 ppm of ten seconds. The first or the second reading is stopped. */
static void is_stopped(unsigned i, int ppm)
{
    for (u64 us = 20; us <= 20000; us *= 10)
        for (unsigned second = 0; second < 2; second++) {
            boot(i, ppm);
            idle(second * 5);
            stall = us * 1000;
            idle(second ? 8 : 2);
            stall = 0;
            goes_right(i, ppm);
        }
}

static void a_stop_of_the_host_spoils_no_rate(void **state) { for_all(is_stopped); }

static void other_cores_sleep_and_the_first_one_looks_seldom(void **state)
{
    boot(0, 14);
    core.id = 1;
    idle(60);
    assert_true(!reads && sleeps == 60);
    core.id = 0;
    idle(3600);
    assert_in_range(reads, TRIES, 2 * TRIES);
    assert_in_range(sleeps, 3600 + 60 - 3, 3600 + 60);
}

static void until_it_is_known_the_first_rate_counts(void **state)
{
    boot(0, 14);
    u64 wall = hal_wall_clock_ns(), now = true_ns();
    pass(A_DAY);
    assert_in_range(wrong(wall, now), A_DAY / 1000000000 * 13900, A_DAY / 1000000000 * 14100);
    assert_int_equal(hal_wall_clock_ns() / SECOND, MARK + 86400 - 2); /* 1.2 s slow, of 86,400 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_ten_seconds_of_idle_the_wall_clock_goes_right),
        cmocka_unit_test(the_wall_clock_never_jumps_or_goes_back),
        cmocka_unit_test(a_core_that_was_busy_for_long_measures_later),
        cmocka_unit_test(a_stop_of_the_host_spoils_no_rate),
        cmocka_unit_test(other_cores_sleep_and_the_first_one_looks_seldom),
        cmocka_unit_test(until_it_is_known_the_first_rate_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
