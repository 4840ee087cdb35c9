/* SPDX-License-Identifier: MIT */
/* Of a kernel with both back ends: only a core in VMX operation leaves it when it stops for good; VMXOFF is undefined
 * elsewhere. */
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
u64 host_cr4;
static jmp_buf halted;
static unsigned left;

static __noreturn void halt_for_good(void) { longjmp(halted, 1); }

/* It panics, which halts again. */
void vmx_leave(void)
{
    assert_false(host_irq_on);
    left++;
    hal_halt();
}

#include "arch/x86/vmx/halt_either.c"

static unsigned leaves(paddr_t host_vmcb, u64 cr4)
{
    core.arch.host_vmcb = host_vmcb;
    host_cr4 = cr4;
    left = 0;
    if (!setjmp(halted))
        hal_halt();
    return left;
}

static void a_core_that_runs_guests_by_amd_v_halts_as_it_is(void **state)
{
    assert_int_equal(leaves(0x1000, CR4_PGE), 0);
    assert_int_equal(leaves(0, CR4_PGE), 0);
}

static void a_core_of_either_in_vmx_operation_leaves_it_once(void **state)
{
    assert_int_equal(leaves(0x1000, CR4_PGE | CR4_VMXE), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_that_runs_guests_by_amd_v_halts_as_it_is),
        cmocka_unit_test(a_core_of_either_in_vmx_operation_leaves_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
