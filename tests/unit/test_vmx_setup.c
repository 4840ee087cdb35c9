/* SPDX-License-Identifier: MIT */
/* A core enters VMX operation (vmx/setup.c): the MSRs that it reads are there, what its guests will find changed is
 * known, and its map says which MSRs they reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <core/cpu.h>
#include <errors.h>
#include <hal/memory.h>
#include "arch/x86/vmx/core.h"

static struct cpu core;
struct cpu *host_this_cpu = &core, *cpus[MAX_CPUS] = { &core };
u64 host_cr4;
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
struct vmx_capability vmx_capability;
bool vmx_usable;
paddr_t vmx_msr_map;
static int entered;

u64 host_rdmsr(u32 msr)
{
    if (msr == MSR_TSC_AUX) {
        assert_true(vmx_capability.tsc_aux); /* else #GP, and the kernel stops */
        return 0x77;
    }
    return msr;
}
int vmx_enter(void *region, const struct vmx_capability *c) { return entered; }
void printk(const char *fmt, ...) {}
void *page_alloc(void) { return NULL; }
void vcpu_reset(struct hal_vcpu *v) {}
void vmx_hide_features(const struct vmx_capability *c, u32 *ebx7, u32 *ecx7, u32 *extended) {}

static int setup(void **state)
{
    memset(&core, 0, sizeof(core));
    vmx_usable = true;
    entered = 0;
    return 0;
}

static void a_core_knows_what_the_firmware_left_in_the_registers(void **state)
{
    vmx_capability.tsc_aux = true;
    assert_int_equal(hal_guest_enable(), 0);
    assert_int_equal(vmx_core_of(&core)->tsc_aux, 0x77);
    for (unsigned i = 0; i < VMX_STARS; i++)
        assert_int_equal(vmx_core_of(&core)->star[i], MSR_STAR + i);
    vmx_core_of(&core)->tsc_aux = 1;
    assert_int_equal(hal_guest_enable(), 0); /* once */
    assert_int_equal(vmx_core_of(&core)->tsc_aux, 1);
}

static void a_processor_without_rdtscp_and_rdpid_is_not_asked_for_tsc_aux(void **state)
{
    vmx_capability.tsc_aux = false;
    assert_int_equal(hal_guest_enable(), 0);
    assert_int_equal(vmx_core_of(&core)->tsc_aux, 0);
}

static void a_core_that_does_not_enter_says_so_each_time(void **state)
{
    entered = -EIO;
    assert_int_equal(hal_guest_enable(), -EIO);
    assert_int_equal(hal_guest_enable(), -EIO);
    vmx_usable = false;
    assert_int_equal(hal_guest_enable(), -ENODEV);
}

/* The map by its layout: reads of the low and the high MSRs, then writes (SDM vol. 3, 25.6.9). */
static bool exits(u32 msr, bool writes)
{
    const u8 *map = phys_to_virt(vmx_msr_map);
    return map[(msr >> 31) * 1024 + writes * 2048 + (msr & 0x1fff) / 8] >> msr % 8 & 1;
}

/* SYSENTER's three and the bases of FS and GS are in the VMCS, KERNEL_GS_BASE is switched; those of SYSCALL, from STAR
 * on, are written by the kernel alone, so only their reads pass. */
static void each_msr_exits_but_those_that_are_the_guests_own(void **state)
{
    vmx_msr_map = 0;
    assert_int_equal(hal_guest_enable(), 0);
    for (unsigned n = 0; n < 2 * 0x2000; n++) {
        u32 msr = n < 0x2000 ? n : 0xc0000000 + n - 0x2000;
        bool own = (msr >= 0x174 && msr <= 0x176) || (msr >= 0xc0000100 && msr <= 0xc0000102);
        bool read = own || (msr >= 0xc0000081 && msr <= 0xc0000084);
        if (exits(msr, false) == read || exits(msr, true) == own)
            fail_msg("MSR %x", msr);
    }
}

#define T(f) cmocka_unit_test_setup(f, setup)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_core_knows_what_the_firmware_left_in_the_registers),
        T(a_processor_without_rdtscp_and_rdpid_is_not_asked_for_tsc_aux),
        T(a_core_that_does_not_enter_says_so_each_time),
        T(each_msr_exits_but_those_that_are_the_guests_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
