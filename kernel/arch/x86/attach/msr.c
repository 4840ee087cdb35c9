/* SPDX-License-Identifier: MIT */
/*
 * msr.c - accesses of Linux to MSRs that exit: AMD-V's three, and MSRs outside the permission map (APM vol. 2, 15.11),
 * among them the machine check banks of newer parts, which Linux polls.
 */
#include <arch/cpu.h>
#include <arch/features.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>

#include "apic.h"
#include "msr.h"

#define EFER_TCE      (1ul << 15)
#define EFER_UAIE     (1ul << 20) /* upper address ignore */
#define EFER_AUTOIBRS (1ul << 21) /* automatic IBRS */

/*
 * Returns the bits of EFER that Linux may switch in long mode, as far as the processor has them: VMRUN refuses the
 * rest. Linux 6.12 writes AUTOIBRS in the start-up code of each CPU, where a #GP resets the machine.
 */
static u64 switches(void)
{
    struct cpuid_regs r = cpuid(0x80000001, 0);
    u32 more = cpuid(0x80000000, 0).eax < 0x80000021 ? 0 : cpuid(0x80000021, 0).eax;
    return EFER_SCE | (r.edx & X86_FEATURE_NX ? EFER_NXE : 0) | (r.edx & X86_FEATURE_FXSR_OPT ? EFER_FFXSR : 0) |
           (r.ecx & X86_FEATURE_TCE ? EFER_TCE : 0) | (more & X86_FEATURE_UPPER_ADDRESS_IGNORE ? EFER_UAIE : 0) |
           (more & X86_FEATURE_AUTOIBRS ? EFER_AUTOIBRS : 0);
}

/* EFER.SVME always reads as set: a KVM that was loaded before us checks it before its first guest, and finds AMD-V in
 * use. */
static bool efer(struct vmcb *b, u64 *value, bool write)
{
    if (!write) {
        *value = b->efer | EFER_SVME;
        return true;
    }
    u64 fixed = ~(switches() | EFER_SVME |
                  (b->cr0 & CR0_PG ? 0 : EFER_LME)); /* LME may change before paging is on, as in a start-up */
    if ((*value ^ b->efer) & fixed)
        return false;
    b->efer = *value | EFER_SVME;
    return true;
}

/*
 * VM_CR as Linux would have it, without our R_INIT. SVMDIS is never shown to keep KVM away: init_amd() of Linux 6.12
 * reads it on a CPU that starts, and gives up AMD-V for all CPUs until the next boot. EFER.SVME above stops every KVM.
 */
static bool vm_cr(u64 *value, bool write)
{
    *value = rdmsr(MSR_VM_CR) & ~VM_CR_R_INIT;
    return !write;
}

/* Linux clears it when it shuts a CPU down, even if it has not set it. */
static bool hsave(u64 *value, bool write)
{
    if (write)
        return !*value;
    *value = 0;
    return true;
}

static bool covered(u32 msr)
{
    u32 base = msr & ~0x1fffu;
    return !base || base == 0xc0000000 || base == 0xc0010000;
}

/*
 * MSRs for the memory map and for the firmware's own mode, with which Linux could reach given memory beneath this
 * kernel; and those for the clock that a given CPU keeps. Linux writes none of them after its boot, except bits of
 * HWCR, some of which it writes when it switches to a program: a refusal there would end the program, or Linux.
 */
static const u32 sealed[] = {
    0x10,       0x3b,                               /* time stamp counter and its adjustment: the cores' clock */
    0xc0010010,                                     /* SYSCFG */
    MSR_HWCR,                                       /* but for HWCR_LINUX */
    0xc0010016, 0xc0010017, 0xc0010018, 0xc0010019, /* IORRs */
    0xc001001a, 0xc001001d,                         /* TOP_MEM, TOP_MEM2 */
    0xc0010022,                                     /* machine checks as SMI or another vector */
    0xc0010058,                                     /* address of PCI's configuration space */
    0xc0010111, 0xc0010112, 0xc0010113,             /* SMM's base, TSEG and its mask */
    0xc0010116,                                     /* SMM_CTL */
};

__init_text void attach_msr_seal(void (*trap)(u32 msr))
{
    for (unsigned i = 0; i < ARRAY_SIZE(sealed); i++)
        trap(sealed[i]);
}

static bool is_sealed(u32 msr)
{
    for (unsigned i = 0; i < ARRAY_SIZE(sealed); i++)
        if (sealed[i] == msr)
            return true;
    return false;
}

static bool write_sealed(u32 msr, u64 value)
{
    u64 is = 0, free = msr == MSR_HWCR ? HWCR_LINUX : 0;
    if (!attach_guarded())
        return msr_try(msr, &value, true);
    if (!msr_try(msr, &is, false) || (value ^ is) & ~free)
        return false;
    return value == is || msr_try(msr, &value, true);
}

static bool count_refused(struct linux_cpu *l, u32 msr, bool done)
{
    if (!done)
        attach_refuse(l, "write MSR", msr);
    return done;
}

bool attach_msr(struct linux_cpu *l, bool write)
{
    struct vmcb *b = l->vmcb;
    u32 msr = (u32)l->page->regs[RCX];
    u64 value = (u32)b->rax | l->page->regs[RDX] << 32;
    bool ok = msr == MSR_EFER          ? efer(b, &value, write)
              : msr == MSR_VM_CR       ? vm_cr(&value, write)
              : msr == MSR_VM_HSAVE_PA ? hsave(&value, write)
              : msr == MSR_APIC_BASE   ? count_refused(l, msr, attach_apic_base(value))
              : is_sealed(msr)         ? count_refused(l, msr, write_sealed(msr, value))
              : msr == MSR_X2APIC_ICR  ? count_refused(l, msr, attach_apic_command(l, value))
                                       : !covered(msr) && msr_try(msr, &value, write);
    if (ok && !write) {
        b->rax = (u32)value;
        l->page->regs[RDX] = value >> 32;
    }
    return ok;
}
