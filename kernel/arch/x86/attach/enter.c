/* SPDX-License-Identifier: MIT */
/*
 * enter.c - copies Linux's registers from the page with which it comes into the VMCB, and back. Attach and detach do
 * nothing else on each CPU.
 *
 * FS, GS, TR, LDTR and the system call registers are not copied: the trampoline's VMSAVE has put them into the VMCB,
 * and its VMLOAD loads them from there with their hidden parts. (So TR is never loaded by LTR, whose descriptor is busy
 * and in memory that Linux keeps read-only.)
 */
#include <arch/cpu.h>
#include <arch/vcpu.h>
#include <board/linux.h>

#include "linux_cpu.h"

#define RFLAGS_NONE 2ul /* interrupts off: the trampoline restores Linux's flags */

/* Linux's segments are flat; the limit is only used in 32-bit code. */
static void enter_segment(struct vmcb_segment *to, const struct attach_segment *from)
{
    to->selector = (u16)from->selector;
    to->attributes = vmcb_attributes(from->access);
    to->limit = ~0u;
    to->base = 0;
}

/*
 * While a CPU is attached, turn INIT into #SX (R_INIT, 15.30.1): a real INIT would restart the CPU without this kernel
 * beneath it. The #SX exits and is ignored, because Linux sends no INIT to an attached CPU. QEMU 7.2 has no R_INIT.
 */
static void redirect_init(bool on)
{
    u64 v = rdmsr(MSR_VM_CR);
    wrmsr(MSR_VM_CR, on ? v | VM_CR_R_INIT : v & ~VM_CR_R_INIT);
}

void attach_begin(struct attach_cpu *p)
{
    struct linux_cpu *l = this_linux_cpu();
    struct vmcb *b = l->vmcb;
    enter_segment(&b->es, &p->es);
    enter_segment(&b->cs, &p->cs);
    enter_segment(&b->ss, &p->ss);
    enter_segment(&b->ds, &p->ds);
    vmcb_table(&b->gdtr, p->gdtr.limit, p->gdtr.base);
    vmcb_table(&b->idtr, p->idtr.limit, p->idtr.base);
    b->efer = p->efer | EFER_SVME;
    b->cr0 = p->cr0;
    b->cr2 = p->cr2;
    b->cr3 = p->cr3;
    b->cr4 = p->cr4;
    b->dr6 = p->dr6;
    b->dr7 = p->dr7;
    b->pat = p->pat;
    b->rflags = RFLAGS_NONE;
    b->rsp = p->rsp;
    b->rip = l->resume;
    b->rax = 0;
    b->intercept1 &= ~INT1_HLT;
    b->cpl = 0;
    b->shadow = 0;
    b->event_inject = 0;
    b->clean = 0;
    b->tlb_control = TLB_FLUSH_ALL; /* translations of this ASID from an earlier attach */
    redirect_init(true);
    l->flushed = READ_ONCE(linux_space_version);
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
    board_linux_attached();
}

static void leave_table(struct attach_table *to, const struct vmcb_segment *from)
{
    to->limit = (u16)from->limit;
    to->base = from->base;
}

void attach_end(struct linux_cpu *l)
{
    const struct vmcb *b = l->vmcb;
    struct attach_cpu *p = l->page;
    p->regs[RAX] = b->rax;
    p->es.selector = b->es.selector;
    p->cs.selector = b->cs.selector;
    p->ss.selector = b->ss.selector;
    p->ds.selector = b->ds.selector;
    leave_table(&p->gdtr, &b->gdtr);
    leave_table(&p->idtr, &b->idtr);
    p->efer = b->efer & ~EFER_SVME;
    p->cr0 = b->cr0;
    p->cr2 = b->cr2;
    p->cr3 = b->cr3;
    p->cr4 = b->cr4;
    p->dr6 = b->dr6;
    p->dr7 = b->dr7;
    p->rflags = b->rflags;
    p->rsp = b->rsp;
    p->rip = b->rip;
    redirect_init(false);
    if (b->pat !=
        p->pat) /* VMRUN gives a guest a PAT of its own (15.25.8); the register still has Linux's value at attach */
        wrmsr(MSR_PAT, p->pat = b->pat);
}
