/* SPDX-License-Identifier: MIT */
/* mul_div() of all ports (hal/time.h) against exact arithmetic, for times from boot to the end of the counter; and what
 * it costs late, in single steps of this processor. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <types.h>

/* As the kernel has it, also where steps are counted. */
#undef __noinline
#define __noinline __attribute__((noinline, no_sanitize("address", "undefined")))
#pragma GCC optimize("O2")
#define mul_div riscv_mul_div
#include "arch/riscv/cpu/muldiv.c"
#undef mul_div
#define mul_div x86_32_mul_div
#include <hal/time.h>
u64 mul_div(u64 a, u64 b, u64 c);
#include "arch/x86/32/divide.c"
#undef mul_div
#define mul_div x86_64_mul_div
u64 mul_div(u64 a, u64 b, u64 c);
#include "arch/x86/64/muldiv.c"
#undef mul_div
#pragma GCC reset_options

#define NS      1000000000ull
#define MORE    20   /* steps: a division more, and what leads to it */
#define MOST    4000 /* steps of anything here */
#define TRAP    0x100ul
#define SECONDS 1ull
#define DAYS    (86400 * SECONDS)
#define YEARS   (365 * DAYS)

typedef u64 mul_div_fn(u64 a, u64 b, u64 c);

static const struct port {
    const char *name;
    mul_div_fn *mul_div;
} ports[] = { { "riscv", riscv_mul_div }, { "x86/32", x86_32_mul_div }, { "x86/64", x86_64_mul_div } };

/* Rates of counters: boards, Pentiums, the emulator's host, and the ends. */
static const u64 rates[] = { 1,         2,  32768,  1000000,    10000000,   12288000,   24000001,  533000000,
                             999999999, NS, NS + 1, 2399995123, 0x80000000, 4294967291, 0xffffffff };

static u64 exact(u64 a, u64 b, u64 c)
{
    unsigned __int128 q = (unsigned __int128)a * b / c;
    return q >> 64 ? ~0ull : (u64)q;
}

static void check(u64 t, u64 hz)
{
    for (const struct port *p = ports; p < ports + ARRAY_SIZE(ports); p++) {
        assert_int_equal(p->mul_div(t, NS, hz), exact(t, NS, hz));
        assert_int_equal(p->mul_div(t, hz, NS), exact(t, hz, NS));
        assert_int_equal(p->mul_div(t, ~t, hz), exact(t, ~t, hz));
    }
}

static u64 random_of_every_length(void)
{
    static u64 state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    u64 mixed = state ^ state >> 29;
    return mixed >> (state >> 58);
}

static void a_time_is_exact_from_boot_to_the_end_of_the_counter(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rates); i++) {
        for (unsigned bit = 0; bit < 64; bit++)
            for (u64 near = 0; near < 5; near++)
                check((1ull << bit) + near - 2, rates[i]);
        for (unsigned n = 0; n < 20000; n++)
            check(random_of_every_length(), rates[i]);
    }
    for (unsigned n = 0; n < 100000; n++)
        check(random_of_every_length(), (random_of_every_length() & 0xffffffff) | 1);
}

static volatile unsigned steps;
static void step(int signal) { steps++; }

/* Returns how many instructions a call takes, and a few that lead to it. */
static unsigned steps_of(mul_div_fn *fn, u64 a, u64 b, u64 c)
{
    steps = 0;
    __asm__ volatile("pushf; orq %0, (%%rsp); popf" ::"er"(TRAP) : "memory", "cc");
    fn(a, b, c);
    __asm__ volatile("pushf; andq %0, (%%rsp); popf" ::"er"(~TRAP) : "memory", "cc");
    assert_in_range(steps, 5, MOST);
    return steps;
}

static void a_late_time_costs_a_division_more_than_an_early_one(void **state)
{
    signal(SIGTRAP, step);
    static const u64 late[] = { 20 * SECONDS, DAYS, YEARS, 5 * YEARS };
    for (const struct port *p = ports; p < ports + ARRAY_SIZE(ports); p++)
        for (unsigned i = 0; i < ARRAY_SIZE(rates); i++) {
            unsigned early = steps_of(p->mul_div, rates[i], NS, rates[i]);
            for (unsigned n = 0; n < ARRAY_SIZE(late); n++) {
                assert_in_range(steps_of(p->mul_div, late[n] * rates[i], NS, rates[i]), 1, early + MORE);
                assert_in_range(steps_of(p->mul_div, late[n] * NS, rates[i], NS), 1, early + MORE);
            }
        }
    signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_is_exact_from_boot_to_the_end_of_the_counter),
        cmocka_unit_test(a_late_time_costs_a_division_more_than_an_early_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
