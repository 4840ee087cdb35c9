/* SPDX-License-Identifier: MIT */
/* A run of a guest by VT-x (vmx/), on a VMCS that is an array: what is read at an exit, what is written at an entry,
 * and what becomes of each of the manual's exits. The test is the processor and the machine model. */
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
static void exits(void) { *field(VMCS_EXIT_REASON) = reason; }
static void exit_by(u32 r)
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

/* --- what is written and read ----------------------------------------------------------------------------- */

static void the_first_entry_is_the_state_after_reset(void **state)
{
    assert_int_equal(entered.rip, 0xfff0);
    assert_int_equal(*field(VMCS_GUEST_CS_BASE), 0xffff0000);
    assert_int_equal(*field(VMCS_GUEST_CS_RIGHTS), 0x9b);
    assert_int_equal(*field(VMCS_GUEST_TR_RIGHTS), 0x8b);
    assert_int_equal(*field(VMCS_GUEST_TR_LIMIT), 0xffff);
    assert_int_equal(*field(VMCS_GUEST_LDTR_RIGHTS), 0x82);
    assert_int_equal(*field(VMCS_GUEST_CR0), 0x30); /* NE, which the guest does not see */
    assert_int_equal(*field(VMCS_CR0_SHADOW), 0x10);
    assert_int_equal(*field(VMCS_GUEST_CR4), CR4_VMXE | CR4_MCE);
    assert_int_equal(*field(VMCS_CR4_SHADOW), 0);
    assert_int_equal(*field(VMCS_GUEST_RFLAGS), 2);
    assert_true(*field(VMCS_PROC_CONTROLS) & VMX_PROC_IO && *field(VMCS_PROC_CONTROLS) & VMX_PROC_DR);
    assert_int_equal(guest[0].regs[RDX], 0x123);
    assert_int_equal(*field(VMCS_VPID), 1);
    assert_true(flushed_ept == 1 && last_vpid == 1);
}

static void an_entry_writes_what_has_changed_and_nothing_else(void **state)
{
    memset(current_vmcs->written, 0, sizeof(current_vmcs->written));
    run(NULL);
    for (u32 f = 0; f < 0x8000; f++)
        assert_int_equal(current_vmcs->written[f], 0);
    guest[0].cpu.rip += 5;
    run(NULL);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_RIP], 1);
    assert_int_equal(entered.rip, 0xfff5);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_RFLAGS], 0);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_CR0], 0);
}

static void null_segment(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EPT;
    *field(VMCS_EXIT_QUALIFICATION) = EPT_LINEAR | EPT_FINAL | EPT_WROTE;
    *field(VMCS_GUEST_PHYSICAL) = 0xfe001234;
    *field(VMCS_GUEST_SS_RIGHTS) = 0x10000 | 0x60; /* unusable, but its DPL is the CPL */
    *field(VMCS_GUEST_CS_RIGHTS) = 0xa0fb;
    *field(VMCS_GUEST_FS_BASE) = 0x123000;
    *field(VMCS_GUEST_RSP) = 0x7000;
    *field(VMCS_GUEST_CR0) = 0x80010031;
    *field(VMCS_GUEST_EFER) = EFER_LME | EFER_LMA;
}

static void registers_are_read_for_an_exit_that_needs_them_and_go_back_unchanged(void **state)
{
    run(null_segment);
    struct guest_cpu *cpu = vcpu_cpu(&guest[0]);
    assert_int_equal(e.reason, VCPU_EXIT_MMIO);
    assert_true(e.write && e.addr == 0xfe001234);
    assert_false(vcpu_missed_table(&guest[0]) || vcpu_missed_code(&guest[0]));
    assert_int_equal(cpu->cpl, 3);
    assert_int_equal(cpu->cs.attributes, 0xafb); /* L, and what a code segment of user mode has */
    assert_int_equal(guest_code_bits(cpu), 64);
    assert_int_equal(cpu->fs.base, 0x123000);
    assert_int_equal(cpu->cr0, 0x80010011); /* NE is ours */
    assert_int_equal(cpu->rsp, 0x7000);
    cpu->rsp = 0x6ff8;
    memset(current_vmcs->written, 0, sizeof(current_vmcs->written));
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_RSP), 0x6ff8);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_CS_RIGHTS], 0);
    assert_int_equal(*field(VMCS_GUEST_CS_RIGHTS), 0xa0fb);
    assert_int_equal(*field(VMCS_GUEST_SS_RIGHTS), 0x10060);
    *field(VMCS_GUEST_RSP) = 0x5000; /* the guest's own doing: what was written once is not written again */
    run(NULL);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_RSP), 0x5000);
}

static void in_code_of_32_bits(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EPT;
    *field(VMCS_GUEST_CS_RIGHTS) = 0xc09b;
    *field(VMCS_GUEST_ES_BASE) = 0x1000;
    *field(VMCS_GUEST_CS_BASE) = 0x2000;
    *field(VMCS_GUEST_DS_BASE) = 0x3000;
    *field(VMCS_GUEST_GS_BASE) = 0x4000;
}

static void code_of_32_bits_has_all_its_segments(void **state)
{
    run(in_code_of_32_bits);
    const struct guest_cpu *cpu = vcpu_cpu(&guest[0]);
    assert_int_equal(guest_code_bits(cpu), 32);
    assert_true(cpu->es.base == 0x1000 && cpu->cs.base == 0x2000 && cpu->ds.base == 0x3000 && cpu->gs.base == 0x4000);
}

static void a_guests_lma_goes_with_the_entry_control(void **state)
{
    vcpu_cpu(&guest[0])->efer = EFER_LME | EFER_LMA;
    vcpu_dirty(&guest[0], CLEAN_CR);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_EFER), EFER_LME | EFER_LMA);
    assert_true(*field(VMCS_ENTRY_CONTROLS) & VMX_ENTRY_64);
    vcpu_cpu(&guest[0])->efer = 0;
    vcpu_dirty(&guest[0], CLEAN_CR);
    run(NULL);
    assert_false(*field(VMCS_ENTRY_CONTROLS) & VMX_ENTRY_64);
}

/* --- exits ---------------------------------------------------------------------------------------------------- */

/* Of the manual's reasons (appendix C) these end the guest with a report: their controls are off, or its state is
 * broken. All others that exist are handled. */
static const u8 refused[] = { 3,  4,  5,  6,  9,  14, 16, 33, 34, 35, 37, 38, 41, 42, 44, 45, 46, 47,
                              49, 51, 52, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69 };

static void each_exit_of_the_manual_is_settled_or_refused_with_words(void **state)
{
    for (u32 r = 0; r < 80; r++) { /* newer ones are for controls that are off, too, which bus locks (74) are */
        bool named = r >= VMX_EXIT_REASONS;
        for (unsigned i = 0; i < sizeof(refused); i++)
            named |= refused[i] == r;
        setup(NULL);
        exit_by(r);
        assert_int_equal(e.reason == VCPU_EXIT_FAULT, named);
        if (named)
            assert_non_null(e.why);
    }
    for (u32 r = 0; r < 80; r++) { /* of entries that fail: 33, 34 and 41 exist; none is fast, whatever its low bits */
        setup(NULL);
        fast_handled = true;
        exit_by(1u << 31 | r);
        assert_int_equal(e.reason, VCPU_EXIT_FAULT);
        assert_string_equal(e.why, r == VMX_EXIT_BAD_STATE ? "VM entry refused the guest's state"
                                                           : "exit that this kernel did not ask for");
    }
    fails = true;
    run(NULL);
    assert_int_equal(e.reason, VCPU_EXIT_FAULT);
}

static void what_a_guest_must_not_execute_is_undefined_or_skipped(void **state)
{
    static const struct {
        u8 reason, vector, length;
    } all[] = { { 11, VEC_UD, 0 }, { 13, 0, 2 },      { 15, VEC_GP, 0 }, { 17, VEC_UD, 0 },
                { 20, VEC_UD, 0 }, { 27, VEC_UD, 0 }, { 36, VEC_UD, 0 }, { 39, VEC_UD, 0 },
                { 50, VEC_UD, 0 }, { 53, VEC_UD, 0 }, { 54, 0, 2 } };
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
        setup(NULL);
        u64 rip = entered.rip;
        exit_by(all[i].reason);
        run(NULL);
        assert_int_equal(entered.event & 0xff, all[i].vector);
        assert_int_equal(entered.rip, rip + all[i].length);
    }
}

static u64 qualification;
static void by_control(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CR;
    *field(VMCS_EXIT_QUALIFICATION) = qualification;
}

static void a_write_of_cr0_changes_the_shadow_and_is_executed_again(void **state)
{
    guest[0].regs[RBX] = 0x80000021 | 1u << 30;
    qualification = RBX << 8;
    run(by_control);
    assert_int_equal(*field(VMCS_CR0_SHADOW), 0x10 | 0x20 | 1u << 30);
    vmx_load_operands(&guest[0]); /* the shadow is not read again */
    assert_int_equal(guest[0].cpu.cr0, 0x10 | 0x20 | 1u << 30);
    run(NULL);
    assert_int_equal(entered.event, 0);
    assert_int_equal(entered.rip, 0xfff0);
    assert_int_equal(*field(VMCS_GUEST_CR0), 0x30); /* paging is the processor's to switch on */
    guest[0].regs[RBX] = 1u << 29;                  /* NW without CD */
    run(by_control);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
    qualification = 4 | RBX << 8; /* CR4: only bits that a guest must not set exit */
    run(by_control);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
}

/* A machine check that comes while a guest has cleared it would stop the machine. */
static void cr4_mce_stays_set_whatever_the_guest_wants(void **state)
{
    assert_true(*field(VMCS_GUEST_CR4) & CR4_MCE && *field(VMCS_CR4_MASK) & CR4_MCE);
    assert_false(*field(VMCS_CR4_SHADOW) & CR4_MCE);
    for (unsigned i = 0; i < 2; i++) {
        u64 want = i ? 0 : CR4_MCE;
        guest[0].regs[RBX] = want | CR4_PAE;
        qualification = 4 | RBX << 8;
        run(by_control);
        run(NULL);
        assert_true(!entered.event && entered.rip == 0xfff0); /* executed again: it sets CR4.PAE */
        assert_int_equal(*field(VMCS_CR4_SHADOW), want);
        assert_true(*field(VMCS_GUEST_CR4) & CR4_MCE);
        vmx_load_whole(&guest[0]);
        assert_int_equal(guest[0].cpu.cr4, want);
    }
    guest[0].regs[RBX] = CR4_MCE | CR4_VMXE;
    run(by_control);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
    assert_int_equal(*field(VMCS_CR4_SHADOW), 0);
}

static void at_a_port(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_IO;
    *field(VMCS_EXIT_QUALIFICATION) = qualification;
    guest[0].cpu.rax = 0x1122334455667788;
}

static void a_port_its_size_and_direction_are_the_hardwares(void **state)
{
    qualification = 0x3f8ul << 16 | 1;
    run(at_a_port);
    assert_true(e.reason == VCPU_EXIT_PIO && e.addr == 0x3f8 && e.size == 2 && e.write);
    assert_int_equal((u16)e.value, 0x7788); /* its user takes `size` bytes */
    qualification |= VMX_IO_IN;
    run(at_a_port);
    assert_false(e.write);
    vcpu_complete_read(&guest[0], &e, 0xabcd);
    assert_true(guest[0].cpu.rax == 0x112233445566abcd && guest[0].cpu.rip == 0xfff2);
    qualification |= VMX_IO_STRING;
    run(at_a_port);
    assert_true(e.reason == VCPU_EXIT_OTHER && e.addr == RAW_STRING_IO && vcpu_io_port(&guest[0]) == 0x3f8);
}

static void near_the_end(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_HLT;
    *field(VMCS_EXIT_LENGTH) = 1;
    *field(VMCS_GUEST_RIP) = 0xffff;
}

static void calls_near_the_end(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CPUID;
    *field(VMCS_GUEST_RIP) = 0xffff;
}

static void rip_wraps_at_the_end_of_a_segment_of_16_bits(void **state)
{
    run(near_the_end);
    assert_int_equal(e.reason, VCPU_EXIT_IDLE);
    vcpu_complete(&guest[0], &e);
    run(NULL);
    assert_int_equal(entered.rip, 0);
    fast_handled = true;
    run(calls_near_the_end);
    assert_int_equal(e.reason, VCPU_EXIT_CPUID);
    vcpu_advance(&guest[0], 2);
    vcpu_advanced(&guest[0]);
    run(NULL);
    assert_int_equal(entered.rip, 1);
}

static u64 event;
static void by_event(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EXCEPTION;
    *field(VMCS_EXIT_EVENT) = event;
    *field(VMCS_EXIT_QUALIFICATION) = qualification;
}

static void an_undefined_opcode_is_for_the_machine_and_an_nmi_for_the_host(void **state)
{
    event = VEC_UD | EVENT_EXCEPTION | EVENT_VALID;
    run(by_event);
    assert_true(e.reason == VCPU_EXIT_OTHER && vcpu_raw_is_undefined(e.addr));
    event = VEC_NMI | EVENT_NMI | EVENT_VALID;
    run(by_event);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    assert_int_equal(nmis_taken, 1);
    event = VEC_AC | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID;
    *field(VMCS_GUEST_CR0) |= 1;
    run(by_event);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
}

static void moves_on(void)
{
    *field(VMCS_GUEST_CS) = 0x33;
    *field(VMCS_GUEST_CR3) = 0x9000;
    host_cr2 = 0x4000;
}
static void machine_check(void)
{
    moves_on();
    event = VEC_MC | EVENT_EXCEPTION | EVENT_VALID;
    by_event();
}
static void clts(void)
{
    moves_on();
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CR;
    *field(VMCS_EXIT_QUALIFICATION) = 0x20;
}
static void refuses(void)
{
    moves_on();
    *field(VMCS_EXIT_REASON) = 1u << 31 | VMX_EXIT_BAD_STATE;
}

static void a_report_of_a_fault_has_the_registers_of_that_moment(void **state)
{
    static void (*const ends[])(void) = { machine_check, clts, refuses, NULL };
    for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
        const struct guest_cpu *cpu = vcpu_cpu(&guest[0]);
        setup(NULL);
        fails = !ends[i]; /* an entry that fails at once */
        if (fails)
            moves_on();
        run(ends[i]);
        assert_int_equal(e.reason, VCPU_EXIT_FAULT);
        assert_true(cpu->cs.selector == 0x33 && cpu->cr3 == 0x9000 && cpu->cr2 == 0x4000);
    }
}

/* --- the fast path -------------------------------------------------------------------------------------------- */

static void a_fast_exit_moves_rip_by_the_hardwares_length(void **state)
{
    fast_handled = true;
    reason = VMX_EXIT_WRMSR;
    run(exits);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ); /* the interrupt after it */
    assert_true(fast_written);
    assert_int_equal(*field(VMCS_GUEST_RIP), 0xfff2);
    reason = VMX_EXIT_RDMSR;
    run(exits);
    assert_true(vcpu_raw_is_msr(fast_code) && !fast_written);
    assert_int_equal(guest[0].cpu.rip, 0xfff4); /* the exit by the interrupt has read it */
    reason = VMX_EXIT_VMCALL;
    run(exits);
    assert_int_equal(fast_code, RAW_HYPERCALL);
    assert_int_equal(guest[0].cpu.rip, 0xfff6);
}

static u64 cr4_found;
static bool machine_looks(struct hal_vcpu *v, u64 code)
{
    cr4_found = vcpu_cpu(v)->cr4;
    vcpu_advance(v, 2);
    return true;
}

static void asks_cpuid(void)
{
    *field(VMCS_GUEST_CR4) = CR4_OSXSAVE | CR4_VMXE;
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CPUID;
}

static void traced_asks_cpuid(void)
{
    asks_cpuid();
    *field(VMCS_GUEST_RFLAGS) = 2 | RFLAGS_TF;
}

/* On the slow path another guest may have the core before CPUID is answered. */
static void cpuid_is_answered_with_the_guests_own_cr4(void **state)
{
    guest[0].fast = machine_looks;
    guest[0].cpu.rax = 1;
    guest[0].cpu.cr4 = 0;
    run(asks_cpuid);
    assert_int_equal(cr4_found, CR4_OSXSAVE);
    guest[0].cpu.cr4 = 0;
    run(traced_asks_cpuid);
    assert_int_equal(e.reason, VCPU_EXIT_CPUID);
    run_guest(1, NULL);
    assert_int_equal(vcpu_cpu(&guest[0])->cr4, CR4_OSXSAVE);
}

static void interruptible(void) { *field(VMCS_GUEST_RFLAGS) = 2 | RFLAGS_IF; }

static unsigned offers = 0x51;
static bool offering(struct hal_vcpu *v, u64 code)
{
    vcpu_offer_irq(v, offers);
    vcpu_advance(v, 2);
    return true;
}

static void sends_itself_an_interrupt(void)
{
    interruptible();
    *field(VMCS_EXIT_REASON) = VMX_EXIT_WRMSR;
}

static void an_interrupt_that_the_guest_sends_itself_comes_at_once(void **state)
{
    guest[0].fast = offering;
    run(sends_itself_an_interrupt);
    assert_int_equal(*field(VMCS_ENTRY_EVENT), 0x51 | LOCKED); /* injected by the same turn */
    assert_false(vcpu_irq_offered(&guest[0]));
    guest[0].fast = machine_fast;
}

static void masked_sends_itself_an_interrupt(void)
{
    *field(VMCS_GUEST_RFLAGS) = 2;
    *field(VMCS_EXIT_REASON) = VMX_EXIT_WRMSR;
}

static void one_that_it_must_not_take_yet_waits_for_its_window_or_its_priority(void **state)
{
    guest[0].fast = offering;
    run(masked_sends_itself_an_interrupt);
    assert_false(*field(VMCS_ENTRY_EVENT) & LOCKED);
    assert_true(*field(VMCS_PROC_CONTROLS) & VMX_PROC_IRQ_WINDOW && vcpu_irq_offered(&guest[0]));
    offers = 0x61;
    run(sends_itself_an_interrupt); /* the window that was armed is not left behind */
    offers = 0x51;
    assert_int_equal(*field(VMCS_ENTRY_EVENT), 0x61 | LOCKED);
    assert_false(*field(VMCS_PROC_CONTROLS) & VMX_PROC_IRQ_WINDOW);
    run(interruptible);
    apic[0][VIRTUAL_TPR] = 0x50; /* of the same class */
    run(sends_itself_an_interrupt);
    assert_false(*field(VMCS_ENTRY_EVENT) & LOCKED);
    assert_int_equal(*field(VMCS_TPR_THRESHOLD), 5);
}

static void a_call_that_is_not_the_fast_one_is_not_tried(void **state)
{
    fast_handled = true;
    fast_code = 0;
    guest[0].cpu.rax = 1;
    exit_by(VMX_EXIT_VMCALL);
    assert_true(e.reason == VCPU_EXIT_HYPERCALL && !fast_code);
    vcpu_fast_call(&guest[0], 1);
    exit_by(VMX_EXIT_VMCALL);
    assert_true(e.reason == VCPU_EXIT_IRQ && fast_code == RAW_HYPERCALL);
}

static bool changing_efer(struct hal_vcpu *v, u64 code)
{
    vcpu_cpu(v)->efer = EFER_LME;
    vcpu_dirty(v, CLEAN_CR);
    vcpu_advance(v, 2);
    return true;
}

static void what_the_machine_changes_on_the_fast_path_is_written_by_the_next_entry(void **state)
{
    guest[0].fast = changing_efer;
    reason = VMX_EXIT_WRMSR;
    run(exits);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ); /* nothing is left to do */
    assert_int_equal(*field(VMCS_GUEST_EFER), 0);
    run(NULL);
    assert_true(entered.rip == 0xfff2 && *field(VMCS_GUEST_EFER) == EFER_LME);
}

static u64 flags, rights, interruptibility;
static void special(void)
{
    *field(VMCS_EXIT_REASON) = reason;
    *field(VMCS_GUEST_RFLAGS) = flags;
    *field(VMCS_GUEST_SS_RIGHTS) = rights;
    *field(VMCS_GUEST_INTERRUPTIBILITY) = interruptibility;
}

static void what_something_follows_is_not_fast(void **state)
{
    fast_handled = true;
    reason = VMX_EXIT_VMCALL;
    flags = 2;
    rights = 0x93 | 0x60; /* user mode */
    run(special);
    assert_true(e.reason == VCPU_EXIT_HYPERCALL && vcpu_cpu(&guest[0])->cpl == 3);
    rights = 0x93;
    flags = 2 | RFLAGS_TF;
    run(special);
    assert_true(e.reason == VCPU_EXIT_HYPERCALL && !vcpu_cpu(&guest[0])->cpl);
    assert_false(vcpu_event_due(&guest[0]));
    vcpu_complete(&guest[0], &e);           /* its single-step trap comes at the next entry */
    assert_true(vcpu_event_due(&guest[0])); /* and so ends a HLT */
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_DB);
    assert_true(host_dr6 & DR6_BS);
    flags = 2 | RFLAGS_IF;
    interruptibility = SHADOW_STI;
    run(special);
    assert_int_equal(e.reason, VCPU_EXIT_HYPERCALL);
    vcpu_complete(&guest[0], &e);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_INTERRUPTIBILITY), 0);
    interruptibility = 0;
}

static void xsetbv_is_for_the_kernel_of_a_guest(void **state)
{
    reason = VMX_EXIT_XSETBV;
    flags = 2;
    guest[0].cpu.rax = 1;
    guest[0].regs[RDX] = 0;
    rights = 0x93;
    run(special);
    run(NULL);
    assert_int_equal(entered.event, 0);
    rights = 0x93 | 0x60; /* user mode */
    run(special);
    run(NULL);
    assert_int_equal(entered.event, VEC_GP | EVENT_EXCEPTION | EVENT_VALID);
}

static void shadowed(void)
{
    *field(VMCS_GUEST_RFLAGS) = 2 | RFLAGS_TF | RFLAGS_IF;
    *field(VMCS_GUEST_INTERRUPTIBILITY) = SHADOW_STI;
}

static void a_traced_guest_in_an_interrupt_shadow_has_its_trap_pending(void **state)
{
    run(shadowed);
    assert_int_equal(*field(VMCS_GUEST_PENDING_DEBUG), 0);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_PENDING_DEBUG), 1 << 14); /* 27.3.1.5 */
}

/* --- events ----------------------------------------------------------------------------------------------------- */

static void protects(void) { *field(VMCS_GUEST_CR0) |= 1; }

static void an_exception_of_real_mode_has_no_error_code(void **state)
{
    exit_by(VMX_EXIT_RDPMC);
    run(protects);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    assert_int_equal(entered.event, VEC_GP | EVENT_EXCEPTION | EVENT_VALID);
    *field(VMCS_ENTRY_ERROR_CODE) = 1;
    exit_by(VMX_EXIT_RDPMC);
    run(NULL);
    assert_int_equal(entered.event, VEC_GP | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID);
    assert_int_equal(*field(VMCS_ENTRY_ERROR_CODE), 0);
}

static void an_event_that_an_entry_has_refused_is_not_for_the_next_run(void **state)
{
    vcpu_inject_exception(&guest[0], VEC_UD, false, 0);
    fails = true;
    run(NULL);
    assert_int_equal(e.reason, VCPU_EXIT_FAULT);
    fails = false;
    vcpu_reset(&guest[0]);
    run(NULL);
    assert_false(entered.event & LOCKED);
}

static void closed(void) { *field(VMCS_GUEST_RFLAGS) = 2; }
static void window_opens(void)
{
    interruptible();
    *field(VMCS_EXIT_REASON) = VMX_EXIT_IRQ_WINDOW;
}

static void an_offered_interrupt_is_taken_when_the_guest_can(void **state)
{
    struct hal_vcpu *v = &guest[0];
    run(closed);
    vcpu_offer_irq(v, 0x51);
    run(window_opens);
    assert_int_equal(entered.event, 0);
    assert_true(entered.proc & VMX_PROC_IRQ_WINDOW && vcpu_irq_offered(v));
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    run(interruptible);
    assert_int_equal(entered.event, 0x51 | LOCKED);
    assert_false(entered.proc & VMX_PROC_IRQ_WINDOW || vcpu_irq_offered(v));
    run(interruptible);
    assert_int_equal(entered.event, 0x51); /* once */
}

static void lowers_priority(void)
{
    apic[0][VIRTUAL_TPR] = 0x40; /* by MOV to CR8 */
    *field(VMCS_EXIT_REASON) = VMX_EXIT_TPR;
}

static void a_task_priority_holds_an_interrupt_back_until_it_falls(void **state)
{
    struct hal_vcpu *v = &guest[0];
    run(interruptible);
    vcpu_set_tpr(v, 0x50);
    vcpu_offer_irq(v, 0x51);
    run(interruptible);
    assert_int_equal(entered.event, 0);
    assert_true(entered.threshold == 5 && !(entered.proc & VMX_PROC_IRQ_WINDOW));
    run(lowers_priority);
    run(interruptible);
    assert_int_equal(entered.event, 0x51 | LOCKED);
    assert_int_equal(entered.threshold, 0);
}

static void an_interrupt_without_a_vector_yet_has_a_window_of_its_own(void **state)
{
    run(closed);
    vcpu_offer_irq(&guest[0], 0x51);
    vcpu_request_window(&guest[0]);
    run(window_opens);
    assert_int_equal(entered.event, 0);
    assert_int_equal(e.reason, VCPU_EXIT_WINDOW);
    vcpu_cancel_window(&guest[0]);
    assert_int_equal(vcpu_inject_irq(&guest[0], 0x20), 0);
    run(NULL);
    assert_int_equal(entered.event, 0x20 | LOCKED);
}

static void in_a_handler(void) { *field(VMCS_GUEST_INTERRUPTIBILITY) = SHADOW_NMI; }
static void handler_ends(void)
{
    *field(VMCS_GUEST_INTERRUPTIBILITY) = 0;
    *field(VMCS_EXIT_REASON) = VMX_EXIT_NMI_WINDOW;
}

static void an_nmi_waits_for_the_end_of_the_one_before(void **state)
{
    struct hal_vcpu *v = &guest[0];
    assert_int_equal(vcpu_inject_nmi(v), 0);
    run(in_a_handler);
    assert_int_equal(entered.event, VEC_NMI | EVENT_NMI | EVENT_VALID);
    assert_true(vcpu_nmi_masked(v));
    assert_int_equal(vcpu_inject_nmi(v), -EBUSY);
    run(handler_ends);
    assert_true(entered.proc & VMX_PROC_NMI_WINDOW);
    assert_false(vcpu_nmi_masked(v));
    assert_int_equal(vcpu_inject_nmi(v), 0);
    run(NULL);
    assert_int_equal(entered.event, VEC_NMI | EVENT_NMI | EVENT_VALID);
    assert_false(entered.proc & VMX_PROC_NMI_WINDOW);
}

static void interrupted(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EPT;
    *field(VMCS_VECTORING_EVENT) = event;
    *field(VMCS_VECTORING_ERROR_CODE) = 0x18;
    *field(VMCS_GUEST_INTERRUPTIBILITY) = interruptibility;
}

static void a_delivery_that_an_exit_interrupts_is_begun_again(void **state)
{
    run(protects);
    event = VEC_GP | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID;
    run(interrupted);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
    assert_int_equal(*field(VMCS_ENTRY_ERROR_CODE), 0x18);
    event = 0x80 | EVENT_SOFT | EVENT_VALID; /* INT 80h is executed again */
    run(interrupted);
    run(NULL);
    assert_false(entered.event & LOCKED);
    event = VEC_NMI | EVENT_NMI | EVENT_VALID; /* an NMI must not find its own mask */
    interruptibility = SHADOW_NMI;
    run(interrupted);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
    assert_int_equal(*field(VMCS_GUEST_INTERRUPTIBILITY), 0);
    interruptibility = 0;
}

/* --- two guests of a core ----------------------------------------------------------------------------------------- */

static void sets_star(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_WRMSR;
    guest[0].regs[RCX] = MSR_STAR + 1;
    guest[0].cpu.rax = 0x81000000;
    guest[0].regs[RDX] = 0xffffffff;
}

static void registers_of_system_calls_are_each_guests_own(void **state)
{
    run(sets_star);
    assert_int_equal(msr_star[1], 0xffffffff81000000);
    run(NULL);
    assert_int_equal(entered.rip, 0xfff2);
    msr_kernel_gs = 0x1234; /* the guest has executed SWAPGS */
    run_guest(1, NULL);
    assert_int_equal(msr_star[1], 0);
    assert_int_equal(msr_kernel_gs, 0);
    run(NULL);
    assert_int_equal(msr_star[1], 0xffffffff81000000);
    assert_int_equal(msr_kernel_gs, 0x1234);
    vcpu_reset(&guest[0]);
    run(NULL);
    assert_true(!msr_star[1] && !msr_kernel_gs);
    guest[0].regs[RDX] = 0x8000; /* not canonical: the host's own WRMSR would fault */
    guest[0].regs[RCX] = MSR_STAR + 1;
    exit_by(VMX_EXIT_WRMSR);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
    assert_int_equal(msr_star[1], 0);
}

/* A core that gets its first program when guests were prepared, but none has run: nothing is taken off it, and then the
 * kernel's own are in the registers. */
static void a_guest_does_not_find_the_kernels_registers_of_system_calls(void **state)
{
    memset(vmx_core_of(&core), 0, sizeof(struct vmx_core));
    assert_false(guest_registers_left(&core.arch));
    for (unsigned i = 0; i < 4; i++)
        msr_star[i] = 0x1000 + i;
    host_registers_keep(&core.arch);
    assert_false(guest_registers_left(&core.arch));
    run(NULL);
    assert_true(guest_registers_left(&core.arch));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(msr_star[i], 0);
}

static void registers_are_taken_off_a_core_once_for_all_programs_that_follow(void **state)
{
    static const u64 kernels[] = { 0x1000, 0x1001, 0x1002, 0x1003 };
    vcpu_set_tsc_aux(&guest[0], 7);
    run(sets_star);
    msr_kernel_gs = 0x1234;
    for (unsigned i = 0; i < 2; i++) {
        assert_true(guest_registers_left(&core.arch));
        gdt_limit = 0xffff;
        guest_registers_remove(&core.arch, kernels);
        assert_false(guest_registers_left(&core.arch));
        assert_memory_equal(msr_star, kernels, sizeof(kernels));
        assert_true(!msr_kernel_gs && !msr_tsc_aux && gdt_limit == sizeof(core.arch.gdt) - 1);
        run(NULL);
        assert_int_equal(msr_star[1], 0xffffffff81000000);
        assert_true(msr_kernel_gs == 0x1234 && msr_tsc_aux == 7);
    }
}

static void debug_registers_are_each_guests_own(void **state)
{
    exit_by(VMX_EXIT_DR);
    run(NULL);
    assert_false(entered.proc & VMX_PROC_DR);
    host_dr[0] = 0x1000;
    host_dr6 = 0xffff0ff1;
    run_guest(1, NULL);
    assert_true(entered.proc & VMX_PROC_DR);
    assert_int_equal(host_dr[0], 0x1000); /* nobody else's use is harmed, as it exits */
    reason = VMX_EXIT_DR;
    run_guest(1, exits);
    assert_int_equal(host_dr[0], 0);
    run(NULL);
    assert_true(entered.proc & VMX_PROC_DR);
    vmcs[0].field[VMCS_GUEST_DR7] = 0x401; /* one that is on must hit */
    run_guest(1, NULL);
    run(NULL);
    assert_true(host_dr[0] == 0x1000 && host_dr6 == 0xffff0ff1);
    event = VEC_DB | EVENT_EXCEPTION | EVENT_VALID;
    qualification = DR6_BS;
    run(by_event);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
    assert_int_equal(host_dr6, 0xffff0ff0 | DR6_BS);
}

static void a_vpid_has_one_owner_and_is_flushed_before_it_gets_the_next(void **state)
{
    run_guest(1, NULL);
    assert_int_not_equal(vmcs[0].field[VMCS_VPID], vmcs[1].field[VMCS_VPID]);
    vmx_core_of(&core)->next_vpid = 0x10000;
    setup(NULL);
    vmx_core_of(&core)->next_vpid = 0x10000;
    flushed_vpid = 0;
    run_guest(1, NULL); /* a new generation: 1 is its first */
    assert_true(guest[1].vpid == 1 && flushed_vpid == 1 && last_vpid == 1);
    run(NULL);
    assert_true(guest[0].vpid == 2 && flushed_vpid == 2 && last_vpid == 2);
    flushed_ept = 0;
    vcpu_flush(&guest[0]);
    run(NULL);
    assert_true(flushed_ept == 1 && flushed_vpid == 3);
}

static void loads_cr2(void) { host_cr2 = 0x4000; }
static void cr2_and_tsc_aux_are_each_guests_own(void **state)
{
    vcpu_set_tsc_aux(&guest[0], 7);
    run(loads_cr2);
    assert_int_equal(msr_tsc_aux, 7);
    run_guest(1, NULL);
    assert_true(host_cr2 == 0 && msr_tsc_aux == 0);
    run(NULL);
    assert_true(host_cr2 == 0x4000 && msr_tsc_aux == 7);
}

/* Also while nobody else has had the core since the life before, and if INIT comes before the guest runs again. */
static void a_reset_ends_tsc_aux_and_init_keeps_it(void **state)
{
    vcpu_set_tsc_aux(&guest[0], 7);
    run(NULL);
    vcpu_set_tsc_aux(&guest[0], 8);
    vcpu_init(&guest[0]);
    run(NULL);
    assert_int_equal(msr_tsc_aux, 8);
    vcpu_reset(&guest[0]);
    run(NULL);
    assert_int_equal(msr_tsc_aux, 0);
}

static void is_reset_elsewhere(void) { vcpu_reset(&guest[0]); }

/* The machine is started anew by a core that is not its own, on which the registers still are those of the life before:
 * at the same moment, or before, another guest gets that core. */
static void a_reset_by_another_core_is_not_undone_by_what_the_registers_still_have(void **state)
{
    for (unsigned before = 0; before < 2; before++) {
        exit_by(VMX_EXIT_DR);
        run(loads_cr2);
        host_dr[0] = 0x1000;
        host_dr6 = 0xffff0ff1;
        if (before)
            is_reset_elsewhere();
        else
            host_reading_cr2 = is_reset_elsewhere;
        reason = VMX_EXIT_DR;
        run_guest(1, exits);
        assert_int_equal(host_dr[0], 0);
        exit_by(VMX_EXIT_DR);
        assert_int_equal(host_cr2, 0);
        assert_true(!host_dr[0] && host_dr6 == 0xffff0ff0);
    }
}

/* One of an older processor, or beneath a hypervisor that hides both instructions. */
static void a_processor_without_tsc_aux_is_not_asked_for_it(void **state)
{
    static const u64 kernels[4];
    vmx_capability.tsc_aux = false;
    msr_tsc_aux = 0x55;
    vcpu_set_tsc_aux(&guest[0], 7);
    run(NULL);
    run_guest(1, NULL);
    guest_registers_remove(&core.arch, kernels);
    run(NULL);
    vmx_capability.tsc_aux = true;
    assert_int_equal(msr_tsc_aux, 0x55);
}

/* CR2 stays in the register while nobody else has the core. */
static void a_cr2_that_the_machine_sets_is_not_lost_to_another_guest_or_a_program(void **state)
{
    static const u64 kernels[4];
    run(loads_cr2);
    vcpu_cpu(&guest[0])->cr2 = 0x5000; /* as for a page fault */
    vcpu_dirty(&guest[0], CLEAN_CR2);
    run_guest(1, NULL);
    assert_int_equal(host_cr2, 0);
    run(NULL);
    assert_int_equal(host_cr2, 0x5000);
    run(loads_cr2);
    vcpu_cpu(&guest[0])->cr2 = 0x6000; /* and while the core is its own */
    vcpu_dirty(&guest[0], CLEAN_CR2);
    run(NULL);
    assert_int_equal(host_cr2, 0x6000);
    run(loads_cr2);
    guest_registers_remove(&core.arch, kernels);
    host_cr2 = 0x7000; /* a program's fault */
    run(NULL);
    assert_int_equal(host_cr2, 0x4000);
    host_cr2 = 0x8000;        /* the guest's */
    exit_by(VMX_EXIT_TRIPLE); /* reported */
    assert_int_equal(vcpu_cpu(&guest[0])->cr2, 0x8000);
}

#define T(f) cmocka_unit_test_setup(f, setup)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_first_entry_is_the_state_after_reset),
        T(an_entry_writes_what_has_changed_and_nothing_else),
        T(registers_are_read_for_an_exit_that_needs_them_and_go_back_unchanged),
        T(code_of_32_bits_has_all_its_segments),
        T(a_guests_lma_goes_with_the_entry_control),
        T(each_exit_of_the_manual_is_settled_or_refused_with_words),
        T(what_a_guest_must_not_execute_is_undefined_or_skipped),
        T(a_write_of_cr0_changes_the_shadow_and_is_executed_again),
        T(cr4_mce_stays_set_whatever_the_guest_wants),
        T(a_port_its_size_and_direction_are_the_hardwares),
        T(rip_wraps_at_the_end_of_a_segment_of_16_bits),
        T(an_undefined_opcode_is_for_the_machine_and_an_nmi_for_the_host),
        T(a_report_of_a_fault_has_the_registers_of_that_moment),
        T(a_fast_exit_moves_rip_by_the_hardwares_length),
        T(cpuid_is_answered_with_the_guests_own_cr4),
        T(an_interrupt_that_the_guest_sends_itself_comes_at_once),
        T(one_that_it_must_not_take_yet_waits_for_its_window_or_its_priority),
        T(a_call_that_is_not_the_fast_one_is_not_tried),
        T(what_the_machine_changes_on_the_fast_path_is_written_by_the_next_entry),
        T(what_something_follows_is_not_fast),
        T(xsetbv_is_for_the_kernel_of_a_guest),
        T(a_traced_guest_in_an_interrupt_shadow_has_its_trap_pending),
        T(an_exception_of_real_mode_has_no_error_code),
        T(an_event_that_an_entry_has_refused_is_not_for_the_next_run),
        T(an_offered_interrupt_is_taken_when_the_guest_can),
        T(a_task_priority_holds_an_interrupt_back_until_it_falls),
        T(an_interrupt_without_a_vector_yet_has_a_window_of_its_own),
        T(an_nmi_waits_for_the_end_of_the_one_before),
        T(a_delivery_that_an_exit_interrupts_is_begun_again),
        T(registers_of_system_calls_are_each_guests_own),
        T(a_guest_does_not_find_the_kernels_registers_of_system_calls),
        T(registers_are_taken_off_a_core_once_for_all_programs_that_follow),
        T(debug_registers_are_each_guests_own),
        T(a_vpid_has_one_owner_and_is_flushed_before_it_gets_the_next),
        T(cr2_and_tsc_aux_are_each_guests_own),
        T(a_reset_ends_tsc_aux_and_init_keeps_it),
        T(a_reset_by_another_core_is_not_undone_by_what_the_registers_still_have),
        T(a_processor_without_tsc_aux_is_not_asked_for_it),
        T(a_cr2_that_the_machine_sets_is_not_lost_to_another_guest_or_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
