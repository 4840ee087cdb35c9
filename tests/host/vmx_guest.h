/* SPDX-License-Identifier: MIT */
/* vmx_guest.h - two guests of a core by VT-x (vmx/), for tests of their runs: the test is the processor and the machine
 * model. A VMCS is an array; run() enters a guest, lets a function of the test play what it does, and exits. */
#ifndef AMALGAM_TESTS_VMX_GUEST_H
#define AMALGAM_TESTS_VMX_GUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/guest_registers.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <errors.h>
#include "arch/x86/vmx/core.h"
#include "arch/x86/vmx/state.h"

#define GUESTS 2
#define LOCKED 0x80000000u /* of an event: it is valid */

static struct cpu core;
struct cpu *host_this_cpu = &core, *cpus[MAX_CPUS] = { &core };
u64 host_cr4, host_cr2, host_dr[4], host_dr6;
void (*host_reading_cr2)(void), (*host_reading_dr)(void);
unsigned nmis_taken, gdt_limit;
static struct cpuid_regs no_cpuid(u32 leaf, u32 sub) { return (struct cpuid_regs){ .eax = 0x123 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = no_cpuid;

struct vmx_capability vmx_capability = { .tsc_aux = true };
bool vmx_usable = true;
paddr_t vmx_msr_map = 0x5000;
static struct fake_vmcs vmcs[GUESTS];
struct fake_vmcs *current_vmcs;
static struct hal_vcpu guest[GUESTS];
static u8 apic[GUESTS][4096];
static struct vcpu_exit e;
static u64 msr_star[4], msr_kernel_gs, msr_tsc_aux;
static unsigned flushed_ept, flushed_vpid;
static u64 last_vpid;

u64 host_rdmsr(u32 msr)
{
    return msr == MSR_KERNEL_GS_BASE ? msr_kernel_gs : msr - MSR_STAR < 4 ? msr_star[msr - MSR_STAR] : 0;
}
void host_wrmsr(u32 msr, u64 value)
{
    if (msr - MSR_STAR < 4)
        msr_star[msr - MSR_STAR] = value;
    else if (msr == MSR_KERNEL_GS_BASE)
        msr_kernel_gs = value;
    else if (msr == MSR_TSC_AUX)
        msr_tsc_aux = value;
    else
        fail_msg("MSR %x", msr);
}
void invept(u64 eptp) { flushed_ept++; }
void invvpid(u64 vpid)
{
    flushed_vpid++;
    last_vpid = vpid;
}
void vmptrld(u64 physical) { current_vmcs = &vmcs[physical]; }
int vmcs_load(void *page, const struct vmx_capability *c)
{
    current_vmcs = page;
    return 0;
}
int vmcs_zero(void) { return 0; }
int vmcs_set_host(void) { return 0; }
void vmx_left(void) {}
void printk(const char *fmt, ...) {}
u64 vcpu_xcr0_supported(void) { return 7; }

/* The guest's next run: what it finds is kept, then it exits. */
static struct {
    u32 event, proc, threshold;
    u64 rip, rflags;
} entered;
static void (*play)(void);
static bool fails;

/* As vmx_left does. */
static bool resolved(struct hal_vcpu *v)
{
    if (!vmx_fast(v))
        return false;
    vmwrite(VMCS_GUEST_RIP, v->next_rip);
    return !v->dirty || vmx_fast_dirty(v);
}

bool vmx_run(struct hal_vcpu *v)
{
    u64 *f = current_vmcs->field;
    assert_ptr_equal(current_vmcs, &vmcs[v - guest]);
    entered.event = (u32)f[VMCS_ENTRY_EVENT];
    entered.proc = (u32)f[VMCS_PROC_CONTROLS];
    entered.threshold = (u32)f[VMCS_TPR_THRESHOLD];
    entered.rip = f[VMCS_GUEST_RIP];
    entered.rflags = f[VMCS_GUEST_RFLAGS];
    u32 coded = entered.event & LOCKED ? entered.event & EVENT_ERROR : 0;
    if (fails || (coded && !(f[VMCS_GUEST_CR0] & 1))) /* 27.2.1.3 */
        return 1;
    f[VMCS_ENTRY_EVENT] &= ~(u64)LOCKED; /* the processor clears it */
    f[VMCS_VECTORING_EVENT] = 0;
    f[VMCS_EXIT_LENGTH] = 2;
    f[VMCS_EXIT_QUALIFICATION] = f[VMCS_EXIT_EVENT] = 0;
    f[VMCS_EXIT_REASON] = VMX_EXIT_INTERRUPT;
    if (play)
        play();
    while (resolved(v))
        f[VMCS_EXIT_REASON] = VMX_EXIT_INTERRUPT;
    return 0;
}

static u64 *field(u32 n) { return &current_vmcs->field[n]; }

static void run_guest(unsigned n, void (*how)(void))
{
    play = how;
    memset(&e, 0xff, sizeof(e));
    vcpu_run(&guest[n], &e);
}
static void run(void (*how)(void)) { run_guest(0, how); }

static u32 reason;
static inline void exits(void) { *field(VMCS_EXIT_REASON) = reason; }
static inline void exit_by(u32 r)
{
    reason = r;
    run(exits);
}

static u64 fast_code;
static bool fast_handled, fast_written;
static bool machine_fast(struct hal_vcpu *v, u64 code)
{
    fast_code = code;
    fast_written = vcpu_raw_is_msr(code) && vcpu_msr_written(v);
    if (code == RAW_HYPERCALL)
        vcpu_step_fast(v, 3);
    else if (code == RAW_CPUID || vcpu_raw_is_msr(code))
        vcpu_advance(v, 2);
    else
        return false;
    return fast_handled;
}

static u64 event, qualification;
static inline void by_event(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EXCEPTION;
    *field(VMCS_EXIT_EVENT) = event;
    *field(VMCS_EXIT_QUALIFICATION) = qualification;
}

static inline void interruptible(void) { *field(VMCS_GUEST_RFLAGS) = 2 | RFLAGS_IF; }

static int setup(void **state)
{
    memset(vmcs, 0, sizeof(vmcs));
    memset(guest, 0, sizeof(guest));
    memset(apic, 0, sizeof(apic));
    memset(vmx_core_of(&core), 0, sizeof(struct vmx_core));
    msr_kernel_gs = msr_tsc_aux = 0;
    memset(msr_star, 0, sizeof(msr_star));
    nmis_taken = flushed_ept = flushed_vpid = 0;
    fails = fast_handled = false;
    current_vmcs = NULL;
    for (unsigned i = 0; i < 4; i++)
        vmx_capability.msr[i] = ~0ul << 32;
    vmx_capability.msr[VMX_PROC2] = ~0ul << 32;
    for (unsigned i = 0; i < GUESTS; i++) {
        struct hal_vcpu *v = &guest[i];
        v->vmcs = &vmcs[i];
        v->vmcs_pa = i;
        v->apic = apic[i];
        v->fast = machine_fast;
        vcpu_reset(v);
        v->dirty |= DIRTY_VMCS;
    }
    run(NULL);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    return 0;
}

#define T(f) cmocka_unit_test_setup(f, setup)

#endif
