/* SPDX-License-Identifier: MIT */
/*
 * msr.c - the MSRs of the virtual PC.  Those that VMLOAD and VMSAVE switch never come
 * here; what comes is answered from the vCPU's own state or is a constant.  An MSR
 * that is not listed does not exist: #GP, as on hardware.
 */
#include <arch/cpu.h>
#include <hal/time.h>
#include "pc.h"

#define EFER_GUEST      (EFER_SCE | EFER_LME | EFER_NXE | 1ul << 14) /* FFXSR: CPUID shows the board's */
#define MTRR_WRITE_BACK 6
#define CR0_PG          (1ul << 31)
#define MSR_TSC_AUX     0xc0000103u

/* MSRs whose value never changes, with up to `more` behind them. What is `written` stays as it is: harmless to ask. */
struct constant {
    u32 first;
    u16 more;
    bool written;
    u64 value;
};

static const struct constant *constant(u32 msr)
{
    /* MTRRs: everything is write-back, nested paging and the guest's PAT decide. Fixed ranges are on and agree. */
    static const struct constant all[] = {
        { 0x10, 0, true, 0 }, /* to write the TSC: nobody's may be another than the kernel's */
        { 0x17, 0, false, 0 },
        { 0x8b, 0, true, 0x8001250 }, /* microcode revision: current enough that no guest asks for another */
        { 0xfe, 0, false, 0x508 },    /* MTRRcap: 8 variable, fixed, write-combining */
        { 0x179, 1, true, 0 },
        { 0x1d9, 0, true, 0 },
        { 0x200, 15, true, 0 },
        { 0x250, 0, true, MTRR_WRITE_BACK * 0x0101010101010101 },
        { 0x258, 1, true, MTRR_WRITE_BACK * 0x0101010101010101 },
        { 0x268, 7, true, MTRR_WRITE_BACK * 0x0101010101010101 },
        { 0x2ff, 0, true, MTRR_WRITE_BACK | 1 << 11 },
        { 0xc0010000, 7, true, 0 }, /* four performance counters: every AMD64 has them, without a bit in CPUID */
        { 0xc0010010, 0, true, 0 },
        { 0xc0010015, 0, true, 1 << 24 }, /* HWCR: the TSC counts at P0 */
        { 0xc001001f, 0, true, 0 },
        { 0xc0010055, 0, true, 0 },
        { MSR_VM_CR, 0, false, VM_CR_SVMDIS | 1 << 3 },
        { 0xc0011029, 0, true, 2 }, /* DE_CFG: LFENCE is serializing */
    };
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
        if (msr - all[i].first <= all[i].more)
            return &all[i];
    return NULL;
}

bool msr_read(struct pc_vcpu *v, u32 msr, u64 *value)
{
    const struct vmcb *b = v->vcpu.hal.vmcb;
    if (msr - 0x800 < 0x100)
        return lapic_x2apic(v) && lapic_read(v, msr - 0x800, value);
    const struct constant *c;
    switch (msr) {
    case 0x10: *value = time_now(); break;
    case MSR_APIC_BASE: *value = v->lapic.base; break;
    case MSR_PAT: *value = b->pat; break;
    case MSR_TSC_DEADLINE: *value = v->lapic.deadline; break;
    case MSR_EFER: *value = b->efer & ~EFER_SVME; break;
    case MSR_TSC_AUX: *value = v->vcpu.hal.tsc_aux; break;
    default:
        c = constant(msr);
        if (!c)
            return kvm_msr_read(v, msr, value);
        *value = c->value;
    }
    return true;
}

/* LME changes only with paging off; LMA is the processor's; SVME stays, VMRUN insists on it. */
static bool set_efer(struct pc_vcpu *v, u64 value)
{
    struct vmcb *b = v->vcpu.hal.vmcb;
    if (value & ~(EFER_GUEST | EFER_LMA) || ((value ^ b->efer) & EFER_LME && b->cr0 & CR0_PG))
        return false;
    b->efer = (value & EFER_GUEST) | (b->efer & EFER_LMA) | EFER_SVME;
    vcpu_dirty(&v->vcpu.hal, CLEAN_CR);
    return true;
}

static bool set_pat(struct pc_vcpu *v, u64 value)
{
    for (u64 rest = value; rest; rest >>= 8)
        if ((u8)rest > 7 || (rest & 6) == 2)
            return false;
    v->vcpu.hal.vmcb->pat = value;
    vcpu_dirty(&v->vcpu.hal, CLEAN_NP);
    return true;
}

bool msr_write(struct pc_vcpu *v, u32 msr, u64 value)
{
    if (msr - 0x800 < 0x100)
        return lapic_x2apic(v) && lapic_write(v, msr - 0x800, value);
    const struct constant *c;
    switch (msr) {
    case MSR_TSC_DEADLINE: lapic_set_deadline(v, value); return true;
    case MSR_APIC_BASE: return lapic_set_base(v, value);
    case MSR_EFER: return set_efer(v, value);
    case MSR_PAT: return set_pat(v, value);
    case MSR_TSC_AUX:
        if (value >> 32)
            return false;
        vcpu_set_tsc_aux(&v->vcpu.hal, value);
        return true;
    default: c = constant(msr); return c ? c->written : kvm_msr_write(v, msr, value);
    }
}
