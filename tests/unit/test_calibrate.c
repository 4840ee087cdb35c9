/* SPDX-License-Identifier: MIT */
/* The rate of the counter as a PC measures it when it boots, and its alarm (arch/x86/cpu/time.c). Each reading takes
 * some time, one more than the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/features.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/time.h>

#define HZ 2400123000ull

ticks_t host_now;
static u64 advance(void)
{
    static u32 n = 1;
    n = n * 1664525 + 1013904223;
    return host_now += 20 + (n >> 16) % 400;
}
#define time_now advance

u32 apic_read(unsigned reg) { return ~0u - (u32)(host_now / 24); }
void apic_write(unsigned reg, u32 v) {}
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
static struct cpuid_regs no_feature(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
static struct cpuid_regs with_deadline(u32 leaf, u32 sub)
{
    return (struct cpuid_regs){ .ecx = leaf == 1 ? X86_FEATURE_TSC_DEADLINE_TIMER : 0 };
}
u64 host_cr4, written_pat, written_vm_cr;
u64 mul_div(u64 a, u64 b, u64 c) { return (u64)((unsigned __int128)a * b / c); }
void printk(const char *fmt, ...) {}
void panic(const char *fmt, ...) { abort(); }

#include "arch/x86/cpu/time.c"

static u64 read_pm(void) { return mul_div(advance(), 3579545, HZ) & 0xffffff; }
static struct time_reference reference;
const struct time_reference *time_reference(void) { return &reference; }

static void init(struct time_reference r)
{
    reference = r;
    apic_per_tick = time_hz = 0;
    time_measure();
}

static void a_rate_that_is_known_is_kept(void **state)
{
    init((struct time_reference){ "TSC", HZ, ~0ull, advance });
    assert_int_equal(time_hz, HZ);
    assert_true(apic_per_tick);
}

static void the_rate_is_that_of_the_reference(void **state)
{
    init((struct time_reference){ "PM timer", 3579545, 0xffffff, read_pm });
    assert_in_range(time_hz, HZ - HZ / 50000, HZ + HZ / 50000); /* 20 ppm: rate.c does the rest */
    assert_in_range(apic_per_tick, (1ull << 32) / 25, (1ull << 32) / 23);
}

/* Of the MSR's values 0 is none (Intel SDM vol. 3, 11.5.4.1); of ours it is a past one, which any program may give. */
static void a_deadline_of_0_is_a_past_one(void **state)
{
    host_cpuid = with_deadline;
    init((struct time_reference){ "TSC", HZ, ~0ull, advance });
    host_cpuid = no_feature;
    static const struct {
        ticks_t deadline;
        u64 written;
    } cases[] = { { 0, 1 }, { 1, 1 }, { 2, 2 }, { HZ, HZ }, { TICKS_NEVER - 1, TICKS_NEVER - 1 }, { TICKS_NEVER, 0 } };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        written_deadline = 12345;
        time_alarm_at(cases[i].deadline);
        assert_int_equal(written_deadline, cases[i].written);
    }
}

int main(void)
{
    host_cpuid = no_feature;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_that_is_known_is_kept),
        cmocka_unit_test(the_rate_is_that_of_the_reference),
        cmocka_unit_test(a_deadline_of_0_is_a_past_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
