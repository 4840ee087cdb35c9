/* SPDX-License-Identifier: MIT */
/*
 * exit.c - converts an exit to a vcpu_exit (Intel SDM vol. 3, chapter 28 and appendix C), and handles those that need
 * no other component. The exits that are counted come first; the others are in one table.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/xcr0.h>
#include "access.h"
#include "core.h"

#define CR0_NE        (1ul << 5)
#define CR0_NW        (1ul << 29)
#define CR0_CD        (1ul << 30)
#define CR0_OURS      (CR0_NE | CR0_NW | CR0_CD)
#define ENTRY_FAILED  (1u << 31)
#define EVENT_INT1    (5u << 8)
#define CANONICAL(va) ((u64)((s64)((va) << 16) >> 16) == (va))

static void general_protection(struct hal_vcpu *v) { vcpu_inject_exception(v, VEC_GP, true, 0); }

__cold void vmx_decode_fault(struct hal_vcpu *v, struct vcpu_exit *e, const char *why)
{
    vmx_load_whole(v);
    e->reason = VCPU_EXIT_FAULT;
    e->why = why;
}

/* It exits in all modes, but its own checks come first. */
static __cold void do_xsetbv(struct hal_vcpu *v)
{
    vmx_load_cpl(v);
    u64 value = (u32)v->cpu.rax | v->regs[RDX] << 32;
    if (v->cpu.cpl || (u32)v->regs[RCX] || !xcr0_valid(value, vcpu_xcr0_supported())) {
        general_protection(v);
        return;
    }
    xsetbv(0, value);
    vcpu_skip(v, 3);
}

static void decode_io(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u64 info = v->qualification = vmread(VMCS_EXIT_QUALIFICATION);
    if (info & VMX_IO_STRING) { /* a string instruction needs guest memory, so the machine model handles it */
        vmx_load_operands(v);
        e->reason = VCPU_EXIT_OTHER;
        e->addr = RAW_STRING_IO;
        return;
    }
    e->reason = VCPU_EXIT_PIO;
    e->addr = info >> 16 & 0xffff;
    e->size = (info & 7) + 1;
    e->write = !(info & VMX_IO_IN);
    e->value = v->cpu.rax; /* io_access() takes `size` bytes of it */
}

/* A write of STAR, LSTAR, CSTAR or SYSCALL_MASK: the values are kept, so that a switch of guests need not read them. */
static __cold void write_star(struct hal_vcpu *v, unsigned n, u64 value)
{
    if (n == 3 ? value >> 32 != 0 : n && !CANONICAL(value)) {
        general_protection(v);
        return;
    }
    v->star[n] = value;
    wrmsr(MSR_STAR + n, vmx_core_of(this_cpu())->star[n] = value);
    vcpu_skip(v, 2);
}

static void decode_msr(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u32 msr = (u32)v->regs[RCX];
    e->reason = VCPU_EXIT_IRQ;
    if (vcpu_msr_written(v) && msr - MSR_STAR < VMX_STARS)
        return write_star(v, msr - MSR_STAR, (u32)v->cpu.rax | v->regs[RDX] << 32);
    if (msr == MSR_EFER)
        vmx_load_operands(v);
    e->reason = VCPU_EXIT_MSR;
}

/*
 * A write of CR0 or CR4 that changes a bit of ours. The guest gets what it wants in the shadow and executes the
 * instruction again, which the processor then finishes with all of its checks and effects (paging on: EFER.LMA, the
 * four entries of PAE). A bit of CR4 that it must not set is reserved.
 */
static __cold void write_control(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u64 info = v->qualification = vmread(VMCS_EXIT_QUALIFICATION);
    vmx_load_operands(v);
    u64 value = *vcpu_gpr(v, info >> 8 & 15) & (guest_code_bits(&v->cpu) == 64 ? ~0ul : ~0u);
    bool cr4 = (info & 15) == 4;
    if (info & 0x30 || (info & 15 && !cr4))
        vmx_decode_fault(v, e, "access to a control register that this kernel did not ask for");
    else if (cr4 ? value & CR4_NEVER : (value & (CR0_NW | CR0_CD)) == CR0_NW)
        general_protection(v);
    else if (cr4)
        vmwrite(VMCS_CR4_SHADOW, v->cpu.cr4 = (v->cpu.cr4 & ~CR4_MCE) | (value & CR4_MCE));
    else
        vmwrite(VMCS_CR0_SHADOW, v->cpu.cr0 = (v->cpu.cr0 & ~CR0_OURS) | (value & CR0_OURS));
}

/* The IRET of an NMI handler has faulted, which does not end the handler (28.2.3). */
static inline void mask_nmi_again(struct hal_vcpu *v)
{
    if (unlikely(v->qualification & EPT_NMI_UNBLOCK) && !(v->inject & EVENT_VALID))
        v->shadow |= SHADOW_NMI;
}

static void decode_ept(struct hal_vcpu *v, struct vcpu_exit *e)
{
    vmx_load_operands(v);
    u64 what = v->qualification = vmread(VMCS_EXIT_QUALIFICATION);
    e->addr = v->physical = vmread(VMCS_GUEST_PHYSICAL);
    e->reason = VCPU_EXIT_MMIO;
    e->write = what & EPT_WROTE;
    mask_nmi_again(v);
}

static __cold void decode_exception(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u64 event = vmread(VMCS_EXIT_EVENT);
    unsigned vector = event & 0xff;
    if ((event & EVENT_TYPE) == EVENT_NMI) {
        take_nmi();
    } else if (vector == VEC_MC) {
        vmx_decode_fault(v, e, "machine check while the guest ran");
    } else if (vector == VEC_DB) {
        vmx_debug_exception(v, vmread(VMCS_EXIT_QUALIFICATION), event);
    } else {
        v->qualification = event; /* with NMI_UNBLOCK in the same place */
        mask_nmi_again(v);
        if (vector == VEC_UD && !(v->inject & EVENT_VALID)) {
            vmx_load_operands(v);
            e->reason = VCPU_EXIT_OTHER;
            e->addr = VMX_EXIT_EXCEPTION;
            return;
        }
        vcpu_inject_exception(v, vector, vector == VEC_AC, 0);
    }
}

/* How exits are handled: REASON | a reason, or an action here. */
enum { UNASKED, NOTHING, SKIP, XSETBV, GP, UD, NMI_OPEN, CONTROL, DEBUG, EXCEPTION, IRQ_OPEN, TASK, REASON = 16 };
static const u8 handling[VMX_EXIT_REASONS] = {
    [VMX_EXIT_EXCEPTION] = EXCEPTION,
    [VMX_EXIT_INTERRUPT] = NOTHING,
    [VMX_EXIT_TRIPLE] = REASON | VCPU_EXIT_TRIPLE,
    [VMX_EXIT_IRQ_WINDOW] = IRQ_OPEN,
    [VMX_EXIT_NMI_WINDOW] = NMI_OPEN,
    [VMX_EXIT_TASK_SWITCH] = TASK,
    [VMX_EXIT_CPUID] = REASON | VCPU_EXIT_CPUID,
    [VMX_EXIT_GETSEC] = UD,
    [VMX_EXIT_HLT] = REASON | VCPU_EXIT_IDLE,
    [VMX_EXIT_INVD] = SKIP, /* ignored, as WBINVD: caches are coherent and shared, so a guest must not empty them */
    [VMX_EXIT_WBINVD] = SKIP,
    [VMX_EXIT_RDPMC] = GP,
    [VMX_EXIT_RSM] = UD,
    [VMX_EXIT_VMCALL] = REASON | VCPU_EXIT_HYPERCALL,
    [VMX_EXIT_VMCLEAR... VMX_EXIT_VMXON] = UD,
    [VMX_EXIT_CR] = CONTROL,
    [VMX_EXIT_DR] = DEBUG,
    [VMX_EXIT_MWAIT] = UD,
    [VMX_EXIT_MONITOR] = UD,
    [VMX_EXIT_PAUSE] = REASON | VCPU_EXIT_OTHER,
    [VMX_EXIT_TPR] = NOTHING,
    [VMX_EXIT_INVEPT] = UD,
    [VMX_EXIT_INVVPID] = UD,
    [VMX_EXIT_XSETBV] = XSETBV,
};

static __cold void decode_unasked(struct hal_vcpu *v, struct vcpu_exit *e)
{
    v->qualification = vmread(VMCS_EXIT_QUALIFICATION);
    if (v->reason == (ENTRY_FAILED | VMX_EXIT_BAD_STATE))
        vmx_decode_fault(v, e, "VM entry refused the guest's state");
    else if (v->reason == VMX_EXIT_TASK_SWITCH)
        vmx_decode_fault(v, e, "task switch, which VT-x leaves to the kernel and this one does not do");
    else
        vmx_decode_fault(v, e, "exit that this kernel did not ask for");
}

/* The default reason is VCPU_EXIT_IRQ: an exit that was handled here needs nothing else, only another turn. */
void vmx_decode(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u32 code = v->reason;
    if (code == VMX_EXIT_IO)
        return decode_io(v, e);
    if (code - VMX_EXIT_RDMSR < 2)
        return decode_msr(v, e);
    if (code == VMX_EXIT_EPT)
        return decode_ept(v, e);
    e->reason = VCPU_EXIT_IRQ;
    e->addr = code;
    unsigned how = code < VMX_EXIT_REASONS ? handling[code] : UNASKED;
    switch (how) {
    case NOTHING: return;
    case SKIP: vcpu_skip(v, 2); return;
    case XSETBV: do_xsetbv(v); return;
    case GP: general_protection(v); return;
    case UD: vcpu_inject_exception(v, VEC_UD, false, 0); return;
    case NMI_OPEN: v->nmi_window = false; return;
    case CONTROL: write_control(v, e); return;
    case DEBUG: vmx_take_debug(v); return;
    case EXCEPTION: decode_exception(v, e); return;
    case IRQ_OPEN:
        if (v->window)
            e->reason = VCPU_EXIT_WINDOW;
        return;
    case TASK:
    case UNASKED: decode_unasked(v, e); return;
    case REASON | VCPU_EXIT_TRIPLE: vmx_load_whole(v); break;
    case REASON | VCPU_EXIT_CPUID: vmx_load_cr4(v); break;
    case REASON | VCPU_EXIT_HYPERCALL: vmx_load_cpl(v); break;
    }
    e->reason = how - REASON;
}
