/* SPDX-License-Identifier: MIT */
/* A core that stops for good, as by a panic, leaves VMX operation first: in it INIT is held back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arch/vmx.h>
#include <core/cpu.h>
#include <hal/cpu.h>

static struct cpu core;
struct cpu *host_this_cpu = &core;
bool host_irq_on = true;
static jmp_buf halted;
static unsigned left;
static bool panics_there;

static __noreturn void halt_for_good(void) { longjmp(halted, 1); }

void vmx_leave(void)
{
    assert_false(host_irq_on);
    left++;
    if (panics_there)
        hal_halt();
}

#include "arch/x86/vmx/halt.c"

static void halt(void)
{
    if (!setjmp(halted))
        hal_halt();
}

static void a_core_that_has_run_no_guest_halts_as_it_is(void **state)
{
    halt();
    assert_int_equal(left, 0);
}

static void a_core_in_vmx_operation_leaves_it_once(void **state)
{
    core.arch.host_vmcb = 0x1000;
    panics_there = true;
    halt();
    halt();
    assert_int_equal(left, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_that_has_run_no_guest_halts_as_it_is),
        cmocka_unit_test(a_core_in_vmx_operation_leaves_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
