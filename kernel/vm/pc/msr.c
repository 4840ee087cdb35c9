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
#define MTRR_WRITE_BACK 6ul
#define CR0_PG          (1ul << 31)
#define MSR_TSC_AUX     0xc0000103u

static bool is_mtrr(u32 msr)
{
    return (msr >= 0x200 && msr <= 0x20f) || msr == 0x250 || msr == 0x258 || msr == 0x259 ||
           (msr >= 0x268 && msr <= 0x26f) || msr == 0x2ff;
}

/* Everything is write-back: nested paging and the guest's PAT decide. Fixed ranges are on and agree. */
static u64 mtrr_value(u32 msr)
{
    if (msr == 0x2ff)
        return MTRR_WRITE_BACK | 1ul << 11;
    return msr >= 0x250 ? MTRR_WRITE_BACK * 0x0101010101010101ul : 0;
}

bool msr_read(struct pc_vcpu *v, u32 msr, u64 *value)
{
    const struct vmcb *b = v->vcpu.hal.vmcb;
    if (msr - 0x800 < 0x100)
        return lapic_x2apic(v) && lapic_read(v, msr - 0x800, value);
    if (msr - 0x4b564d00 < 0x10 || msr == 0x11 || msr == 0x12)
        return kvm_msr_read(v, msr, value);
    if (is_mtrr(msr)) {
        *value = mtrr_value(msr);
        return true;
    }
    switch (msr) {
    case 0x10: *value = time_now(); break;
    case MSR_APIC_BASE: *value = v->lapic.base; break;
    case 0x8b: *value = 0x8001250; break; /* microcode revision: current enough that no guest asks for another */
    case 0xfe: *value = 0x508; break;     /* MTRRcap: 8 variable, fixed, write-combining */
    case MSR_PAT: *value = b->pat; break;
    case MSR_TSC_DEADLINE: *value = v->lapic.deadline; break;
    case MSR_EFER: *value = b->efer & ~EFER_SVME; break;
    case MSR_TSC_AUX: *value = v->vcpu.hal.tsc_aux; break;
    case 0xc0010015: *value = 1ul << 24; break; /* HWCR: the TSC counts at P0 */
    case MSR_VM_CR: *value = VM_CR_SVMDIS | 1ul << 3; break;
    case 0xc0011029: *value = 2; break; /* DE_CFG: LFENCE is serializing */
    case 0x17:
    case 0x179:
    case 0x17a:
    case 0x1d9:
    case 0xc0010010:
    case 0xc001001f:
    case 0xc0010055: *value = 0; break;
    default: *value = 0; return false;
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
    for (unsigned i = 0; i < 64; i += 8)
        if ((value >> i & 0xff) > 7 || (value >> i & 6) == 2)
            return false;
    v->vcpu.hal.vmcb->pat = value;
    vcpu_dirty(&v->vcpu.hal, CLEAN_NP);
    return true;
}

bool msr_write(struct pc_vcpu *v, u32 msr, u64 value)
{
    if (msr - 0x800 < 0x100)
        return lapic_x2apic(v) && lapic_write(v, msr - 0x800, value);
    if (msr - 0x4b564d00 < 0x10 || msr == 0x11 || msr == 0x12)
        return kvm_msr_write(v, msr, value);
    switch (msr) {
    case MSR_TSC_DEADLINE: lapic_set_deadline(v, value); return true;
    case MSR_APIC_BASE: return lapic_set_base(v, value);
    case MSR_EFER: return set_efer(v, value);
    case MSR_PAT: return set_pat(v, value);
    case MSR_TSC_AUX: vcpu_set_tsc_aux(&v->vcpu.hal, value); return value >> 32 == 0;
    case 0x10:
    case 0x8b:
    case 0x179:
    case 0x17a:
    case 0x1d9:
    case 0xc0010010:
    case 0xc0010015:
    case 0xc001001f:
    case 0xc0010055:
    case 0xc0011029: return true; /* read-only here, harmless to ask */
    default: return is_mtrr(msr);
    }
}
