/* SPDX-License-Identifier: MIT */
/*
 * msr.c - the MSRs of the virtual PC. Those that VMLOAD and VMSAVE switch do not exit. The others are answered from the
 * vCPU's state or are constants. An MSR that is not listed does not exist: the guest gets #GP, as on hardware.
 */
#include <arch/cpu.h>
#include <hal/time.h>
#include "pc.h"

#define MTRR_WRITE_BACK 6
#define CR0_PG          (1ul << 31)
enum {
    MSR_IA32_TSC = 0x10,
    MSR_IA32_PLATFORM_ID = 0x17,
    MSR_IA32_UCODE_REV = 0x8b,
    MSR_MTRRcap = 0xfe,
    MSR_IA32_MCG_CAP = 0x179, /* then MCG_STATUS */
    MSR_IA32_DEBUGCTLMSR = 0x1d9,
    MSR_MTRRphysBase0 = 0x200, /* then phys_mask0, phys_base1 ... */
    MSR_MTRRfix64K_00000 = 0x250,
    MSR_MTRRfix16K_80000 = 0x258, /* then fix16K_A0000 */
    MSR_MTRRfix4K_C0000 = 0x268,  /* then seven more */
    MSR_MTRRdefType = 0x2ff,
    MSR_X2APIC = 0x800,           /* then 0xff more */
    MSR_K7_EVNTSEL0 = 0xc0010000, /* then three, and PERFCTR0 to 3 */
    MSR_AMD64_SYSCFG = 0xc0010010,
    MSR_K7_HWCR = 0xc0010015,
    MSR_AMD64_NB_CFG = 0xc001001f,
    MSR_K8_INT_PENDING_MSG = 0xc0010055,
    MSR_AMD64_DE_CFG = 0xc0011029
};

#define HWCR_TSC_FREQ_SEL (1ul << 24)
#define MTRR_ENABLE       (1ul << 11)
#define VM_CR_LOCK        (1ul << 3)
#define MSR_TSC_AUX       0xc0000103u

/* MSRs with a constant value: `first` and the `more` ones that follow. `written`: a write is accepted and ignored. */
struct constant {
    u32 first;
    u16 more;
    bool written;
    u64 value;
};

static const struct constant *constant(u32 msr)
{
    /* MTRRs say that all memory is write-back, fixed ranges, too; nested paging and the guest's PAT decide. */
    static const struct constant all[] = {
        { MSR_IA32_TSC, 0, true, 0 }, /* a write of the TSC is ignored: all guests have the kernel's */
        { MSR_IA32_PLATFORM_ID, 0, false, 0 },
        { MSR_IA32_UCODE_REV, 0, true, 0x8001250 }, /* high enough that no guest looks for a newer one */
        { MSR_MTRRcap, 0, false, 0x508 },           /* 8 variable ranges, fixed ranges, write-combining */
        { MSR_IA32_MCG_CAP, 1, true, 0 },
        { MSR_IA32_DEBUGCTLMSR, 0, true, 0 },
        { MSR_MTRRphysBase0, 15, true, 0 },
        { MSR_MTRRfix64K_00000, 0, true, MTRR_WRITE_BACK * 0x0101010101010101 },
        { MSR_MTRRfix16K_80000, 1, true, MTRR_WRITE_BACK * 0x0101010101010101 },
        { MSR_MTRRfix4K_C0000, 7, true, MTRR_WRITE_BACK * 0x0101010101010101 },
        { MSR_MTRRdefType, 0, true, MTRR_WRITE_BACK | MTRR_ENABLE },
        { MSR_K7_EVNTSEL0, 7, true, 0 }, /* four performance counters: every AMD64 has them, without a bit in CPUID */
        { MSR_AMD64_SYSCFG, 0, true, 0 },
        { MSR_K7_HWCR, 0, true, HWCR_TSC_FREQ_SEL }, /* the TSC counts at P0 */
        { MSR_AMD64_NB_CFG, 0, true, 0 },
        { MSR_K8_INT_PENDING_MSG, 0, true, 0 },
        { MSR_VM_CR, 0, false, VM_CR_SVMDIS | VM_CR_LOCK },
        { MSR_AMD64_DE_CFG, 0, true, 2 }, /* LFENCE is serializing */
        VCPU_MSR_CONSTANTS
    };
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
        if (msr - all[i].first <= all[i].more)
            return &all[i];
    return NULL;
}

bool msr_read(struct pc_vcpu *v, u32 msr, u64 *value)
{
    const struct guest_cpu *cpu = vcpu_cpu(&v->vcpu.hal);
    if (msr - MSR_X2APIC < 0x100)
        return lapic_x2apic(v) && lapic_read(v, msr - MSR_X2APIC, value);
    const struct constant *c;
    switch (msr) {
    case MSR_IA32_TSC: *value = time_now(); break;
    case MSR_APIC_BASE: *value = v->lapic.base; break;
    case MSR_PAT: *value = cpu->pat; break;
    case MSR_TSC_DEADLINE: *value = v->lapic.deadline; break;
    case MSR_EFER: *value = cpu->efer & ~VCPU_EFER_OWN; break;
    case MSR_TSC_AUX: *value = v->vcpu.hal.tsc_aux; break;
    default:
        c = constant(msr);
        if (!c)
            return kvm_msr_read(v, msr, value);
        *value = c->value;
    }
    return true;
}

/* LME changes only with paging off. LMA is the processor's. What the hardware wants stays set. */
static bool set_efer(struct pc_vcpu *v, u64 value)
{
    struct guest_cpu *cpu = vcpu_cpu(&v->vcpu.hal);
    if (value & ~(VCPU_EFER_GUEST | EFER_LMA) || ((value ^ cpu->efer) & EFER_LME && cpu->cr0 & CR0_PG))
        return false;
    cpu->efer = (value & VCPU_EFER_GUEST) | (cpu->efer & EFER_LMA) | VCPU_EFER_OWN;
    vcpu_dirty(&v->vcpu.hal, CLEAN_CR);
    return true;
}

static bool set_pat(struct pc_vcpu *v, u64 value)
{
    for (u64 rest = value; rest; rest >>= 8)
        if ((u8)rest > 7 || (rest & 6) == 2)
            return false;
    vcpu_cpu(&v->vcpu.hal)->pat = value;
    vcpu_dirty(&v->vcpu.hal, CLEAN_NP);
    return true;
}

bool msr_write(struct pc_vcpu *v, u32 msr, u64 value)
{
    if (msr - MSR_X2APIC < 0x100)
        return lapic_x2apic(v) && lapic_write(v, msr - MSR_X2APIC, value);
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
