/* SPDX-License-Identifier: MIT */
/* CPUs of Linux that are given and that go: what came too late is undone, and no doorbell is lost with a CPU. */
#include "fake_cpus.h"

#define kernel_call instruction
#include "module.h"
#undef kernel_call
static s64 kernel_call(u64 number, u64 a, u64 b);
#include "../../linux/amalgam/hotplug.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct amalgam amalgam;
struct cpumask host_online;
static int (*up[3])(unsigned), (*down[3])(unsigned); /* by enum cpuhp_state */
static enum attach_cpu_state state[CPUS];
static unsigned slept, core_after; /* ms; a CPU that is given becomes a core that long after it */
static unsigned on;                /* the CPU that calls the kernel */
static unsigned looked, guarded;
static char text[160];

/* --- the kernel beneath ------------------------------------------------------------------------------ */

static enum attach_cpu_state *cpu_of(u64 apic) { return &state[apic - 16]; }

static s64 kernel_call(u64 number, u64 a, u64 b)
{
    switch (number) {
    case ATTACH_CALL_CPU_GIVE: state[on] = ATTACH_CPU_DYING; return 0;
    case ATTACH_CALL_CPU_CANCEL: state[on] = ATTACH_CPU_LINUX; return 0;
    case ATTACH_CALL_CPU_STATE: return *cpu_of(a);
    case ATTACH_CALL_CPU_TAKE: *cpu_of(a) = ATTACH_CPU_PARKED; return 0;
    case ATTACH_CALL_GUARD: guarded = (unsigned)a; return 0;
    case ATTACH_CALL_FLUSH: return 0;
    default: fail(); return -ENOSYS;
    }
}

/* --- Linux ------------------------------------------------------------------------------------------- */

int why(int error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error;
}
int attach_this_cpu(void) { return 0; }
int detach_this_cpu(void) { return guarded ? -EBUSY : 0; }
void bell_leave(unsigned int cpu) {}
void bell_look(void) { looked++; }
void host_sleeps(void) {}
void host_waits_for_a_sleeper(void) { fail(); }

int cpuhp_setup_state(enum cpuhp_state s, const char *name, int (*comes)(unsigned), int (*goes)(unsigned))
{
    up[s] = comes;
    down[s] = goes;
    return 0;
}

void msleep(unsigned ms)
{
    slept += ms;
    for (unsigned i = 0; i < CPUS; i++)
        if (state[i] == ATTACH_CPU_DYING && slept >= core_after)
            state[i] = ATTACH_CPU_CORE;
}

int remove_cpu(unsigned cpu)
{
    on = cpu;
    int error = down[CPUHP_AP_ONLINE_DYN](cpu);
    on = 0;
    if (error)
        return error;
    host_online.bits &= ~(1ull << cpu);
    if (down[CPUHP_BP_PREPARE_DYN]) /* on another CPU, when this one is dead */
        assert_int_equal(down[CPUHP_BP_PREPARE_DYN](cpu), 0);
    return 0;
}

int add_cpu(unsigned cpu)
{
    int error = up[CPUHP_BP_PREPARE_DYN](cpu);
    if (error)
        return error;
    host_online.bits |= 1ull << cpu;
    state[cpu] = ATTACH_CPU_LINUX;
    on = cpu;
    error = up[CPUHP_AP_ONLINE_DYN](cpu);
    on = 0;
    return error;
}

/* ----------------------------------------------------------------------------------------------------- */

static int setup(void **unused)
{
    assert_int_equal(hotplug_start(), 0);
    amalgam.state = AMALGAM_ATTACHED;
    host_online.bits = (1ull << CPUS) - 1;
    given.bits = 0;
    for (unsigned i = 0; i < CPUS; i++)
        state[i] = ATTACH_CPU_LINUX;
    slept = core_after = looked = guarded = 0;
    text[0] = '\0';
    host_has[X86_FEATURE_INVLPGB] = false;
    return 0;
}

static int teardown(void **unused)
{
    hotplug_stop();
    return 0;
}

static struct amalgam_cpu second = { .cpu = 2 };

static void a_cpu_is_given_and_taken_back(void **unused)
{
    core_after = 900;
    assert_int_equal(cpu_give(&second), 0);
    assert_int_equal(second.state, ATTACH_CPU_CORE);
    assert_int_equal(host_online.bits, 0xb);
    assert_int_equal(given.bits, 1 << 2);
    assert_int_equal(cpu_take(&second), 0);
    assert_int_equal(host_online.bits, 0xf);
    assert_int_equal(given.bits | guarded, 0);
}

static void a_gift_that_comes_too_late_is_undone(void **unused)
{
    core_after = 1500;
    assert_int_equal(cpu_give(&second), -ETIMEDOUT);
    assert_non_null(strstr(text, "it is Linux's again"));
    assert_int_equal(host_online.bits, 0xf);
    assert_int_equal(given.bits | guarded, 0);
    assert_int_equal(state[2], ATTACH_CPU_LINUX);
}

static void a_gift_that_cannot_be_undone_stays_on_record(void **unused)
{
    core_after = 5000;
    assert_int_equal(cpu_give(&second), -ETIMEDOUT);
    assert_non_null(strstr(text, "amalgam recover"));
    assert_int_equal(given.bits, 1 << 2);
    msleep(5000);
    assert_int_equal(cpu_take(&second), 0);
    assert_int_equal(host_online.bits, 0xf);
}

/* An NMI that reaches a CPU which is offline does nothing, and the kernel does not ring again before Linux has looked.
 */
static void a_doorbell_on_its_way_to_a_cpu_that_goes_is_looked_for(void **unused)
{
    assert_int_equal(remove_cpu(3), 0);
    assert_int_equal(looked, 1);
    assert_int_equal(cpu_give(&second), 0);
    assert_int_equal(looked, 2);
    amalgam.state = AMALGAM_LOADED;
    assert_int_equal(remove_cpu(1), 0); /* nothing rings */
    assert_int_equal(looked, 2);
}

/* The emulated processor has no INVLPGB. */
static void no_cpu_is_bare_beside_attached_ones_where_linux_broadcasts_flushes(void **unused)
{
    host_has[X86_FEATURE_INVLPGB] = true;
    assert_int_equal(remove_cpu(3), -EBUSY);
    host_online.bits = 7; /* it has been offline since before */
    assert_int_equal(add_cpu(3), -EBUSY);
    amalgam.state = AMALGAM_LOADED; /* none is attached */
    assert_int_equal(add_cpu(3), 0);
    assert_int_equal(remove_cpu(3), 0);
}

/* It goes attached, and Linux's INIT starts it attached. */
static void a_given_cpu_goes_and_comes_beside_such_flushes(void **unused)
{
    host_has[X86_FEATURE_INVLPGB] = true;
    a_cpu_is_given_and_taken_back(unused);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_cpu_is_given_and_taken_back),
        T(a_gift_that_comes_too_late_is_undone),
        T(a_gift_that_cannot_be_undone_stays_on_record),
        T(a_doorbell_on_its_way_to_a_cpu_that_goes_is_looked_for),
        T(no_cpu_is_bare_beside_attached_ones_where_linux_broadcasts_flushes),
        T(a_given_cpu_goes_and_comes_beside_such_flushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
