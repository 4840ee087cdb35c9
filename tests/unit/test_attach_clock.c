/* SPDX-License-Identifier: MIT */
/* The clock of a CPU that becomes a core: compared with core 0's, and corrected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/trap.h>
#include <hal/time.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr, written_tsc;
struct cpu *host_this_cpu;
bool host_irq_on;
ticks_t host_now = 1000000;
struct linux_cpu *linux_cpus[ATTACH_MAX_CPUS];
unsigned n_linux_cpus = 2;

static struct linux_cpu l[2];
static struct cpu first = { .arch.apic_id = 7 };
static bool there; /* core 0 answers */
static s64 differs, latency;
static unsigned asked, printed;

ticks_t time_from_ns(u64 ns) { return ns; }
void printk(const char *format, ...) { printed++; }
void apic_icr(u32 dest, u32 command)
{
    assert_true(dest == 7 && command == VEC_SPLIT);
    asked++;
    host_now += (u64)latency;
    if (there) {
        host_now += (u64)differs; /* its counter */
        core_clock_answer();
        host_now -= (u64)differs;
    } else {
        host_now += 20000000;
    }
    host_now += (u64)latency;
}

static int setup(void **state)
{
    linux_cpus[0] = &l[0];
    linux_cpus[1] = &l[1];
    l[0].clock = l[1].clock = 0;
    there = true;
    differs = 0;
    latency = 1000;
    asked = printed = 0;
    written_tsc = 0;
    return 0;
}

static void a_clock_that_agrees_stays(void **state)
{
    for (differs = -1000; differs <= 1000; differs += 250) /* within the time that the answer takes */
        core_clock_compare(&l[1], &first);
    assert_true(asked == 9 && !written_tsc && !printed);
    assert_int_equal(l[0].clock, 0); /* who does not ask gets no answer */
}

static void a_clock_that_root_has_set_is_corrected(void **state)
{
    static const s64 by[] = { 1001, -1001, 500000, -500000, 1l << 40 };
    for (unsigned i = 0; i < ARRAY_SIZE(by); i++) {
        differs = by[i];
        core_clock_compare(&l[1], &first);
        assert_int_equal(written_tsc, host_now + (u64)by[i]);
        assert_int_equal(printed, i + 1);
        assert_int_equal(l[1].clock, 0);
    }
}

static void the_first_core_has_none_to_ask(void **state)
{
    core_clock_compare(&l[0], NULL);
    assert_int_equal(asked, 0);
}

static void who_does_not_answer_is_not_waited_for(void **state)
{
    there = false;
    core_clock_compare(&l[1], &first);
    assert_true(asked == 1 && !written_tsc && !printed);
    core_clock_answer(); /* too late */
    assert_int_equal(l[1].clock, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_clock_that_agrees_stays, setup),
        cmocka_unit_test_setup(a_clock_that_root_has_set_is_corrected, setup),
        cmocka_unit_test_setup(the_first_core_has_none_to_ask, setup),
        cmocka_unit_test_setup(who_does_not_answer_is_not_waited_for, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
