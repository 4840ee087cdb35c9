/* SPDX-License-Identifier: MIT */
/*
 * capability.c - what a back end for VT-x needs of a processor, and why it is refused on one that lacks something.
 *
 * Guests begin in real mode (unrestricted guest), have nested tables with large pages (EPT) and tagged translations
 * (VPID), and exit only for the ports and MSRs of a map. So the oldest processor that will do is of 2010 (Westmere).
 */
#include <arch/cpu.h>
#include <arch/features.h>
#include <arch/vmx.h>
#include <string.h>

#define PERMITTED(bit) ((bit) + 32) /* in the upper half of a control's MSR */

struct need {
    u8 msr, bit;
    const char *name;
};

/* The first one that is missing is named, so what explains others comes first. Appendix A; controls: 25.6 to 25.8. */
static const struct need needs[] = {
    { VMX_PROC, PERMITTED(31), "secondary controls" },
    { VMX_PROC2, PERMITTED(1), "EPT" },
    { VMX_EPT_VPID, 6, "EPT of four levels" },
    { VMX_EPT_VPID, 14, "EPT in cached memory" },
    { VMX_EPT_VPID, 16, "EPT with pages of 2 MiB" },
    { VMX_EPT_VPID, 20, "INVEPT" },
    { VMX_EPT_VPID, 25, "INVEPT of one context" },
    { VMX_PROC2, PERMITTED(7), "unrestricted guest" },
    { VMX_PROC2, PERMITTED(5), "VPID" },
    { VMX_EPT_VPID, 32, "INVVPID" },
    { VMX_EPT_VPID, 41, "INVVPID of one context" },
    { VMX_PIN, PERMITTED(0), "exits by interrupts" },
    { VMX_PIN, PERMITTED(3), "exits by NMIs" },
    { VMX_PIN, PERMITTED(5), "virtual NMIs" },
    { VMX_PROC, PERMITTED(2), "interrupt windows" },
    { VMX_PROC, PERMITTED(7), "exits by HLT" },
    { VMX_PROC, PERMITTED(21), "a TPR shadow" },
    { VMX_PROC, PERMITTED(22), "NMI windows" },
    { VMX_PROC, PERMITTED(24), "exits by ports" },
    { VMX_PROC, PERMITTED(28), "maps of MSRs" },
    { VMX_EXIT, PERMITTED(9), "a host of 64 bits" },
    { VMX_EXIT, PERMITTED(18), "PAT saved at exits" },
    { VMX_EXIT, PERMITTED(19), "PAT loaded at exits" },
    { VMX_EXIT, PERMITTED(20), "EFER saved at exits" },
    { VMX_EXIT, PERMITTED(21), "EFER loaded at exits" },
    { VMX_ENTRY, PERMITTED(9), "guests of 64 bits" },
    { VMX_ENTRY, PERMITTED(14), "PAT loaded at entries" },
    { VMX_ENTRY, PERMITTED(15), "EFER loaded at entries" },
};

__init_text const char *vmx_refusal(const struct vmx_capability *c, const char **missing)
{
    *missing = 0;
    if (!c->present)
        return c->amdv ? "this processor has AMD-V and no VT-x: it needs the kernel of the shape pc"
                       : "this processor has no VT-x";
    if ((c->feature_control & (FEATURE_CONTROL_LOCKED | FEATURE_CONTROL_VMX)) == FEATURE_CONTROL_LOCKED)
        return "VT-x is switched off by the firmware (FEATURE_CONTROL is locked)";
    if (!(c->basic & VMX_BASIC_TRUE) || VMX_BASIC_MEMORY_TYPE(c->basic) != VMX_MEMORY_WRITE_BACK)
        return "VT-x is of the first generation";
    for (const struct need *need = needs; need < needs + ARRAY_SIZE(needs); need++)
        if (!(c->msr[need->msr] >> need->bit & 1)) {
            *missing = need->name;
            return "VT-x is without";
        }
    return 0;
}

static __init_text void read_cpuid(struct vmx_capability *c)
{
    c->present = cpuid(1, 0).ecx & X86_FEATURE_VMX;
    c->tsc_aux = cpuid(0, 0).eax >= 7 && cpuid(7, 0).ecx & X86_FEATURE_RDPID;
    if (cpuid(0x80000000, 0).eax < 0x80000001)
        return;
    struct cpuid_regs extended = cpuid(0x80000001, 0);
    c->amdv = extended.ecx & X86_FEATURE_SVM;
    c->tsc_aux |= !!(extended.edx & X86_FEATURE_RDTSCP);
}

__init_text void vmx_read_capability(struct vmx_capability *c)
{
    memset(c, 0, sizeof(*c));
    read_cpuid(c);
    if (!c->present)
        return;
    c->feature_control = rdmsr(MSR_FEATURE_CONTROL);
    c->basic = rdmsr(MSR_VMX_BASIC);
    if (!(c->basic & VMX_BASIC_TRUE))
        return; /* it lacks the following MSRs */
    for (unsigned i = VMX_PIN; i <= VMX_ENTRY; i++)
        c->msr[i] = rdmsr(MSR_VMX_TRUE_PIN + i);
    if (c->msr[VMX_PROC] >> 63) { /* secondary controls are permitted */
        c->msr[VMX_PROC2] = rdmsr(MSR_VMX_PROCBASED2);
        if (c->msr[VMX_PROC2] >> 32 & (1 << 1 | 1 << 5)) /* EPT, VPID */
            c->msr[VMX_EPT_VPID] = rdmsr(MSR_VMX_EPT_VPID_CAP);
    }
}

/* They are undefined to a guest without their controls (25.6.2), which processors with the instructions need not have.
 */
__init_text void vmx_hide_features(const struct vmx_capability *c, u32 *ebx7, u32 *ecx7, u32 *extended)
{
    u32 permitted = c->msr[VMX_PROC2] >> 32;
    if (!(permitted & VMX_PROC2_INVPCID))
        *ebx7 &= ~X86_FEATURE_INVPCID;
    if (permitted & VMX_PROC2_RDTSCP)
        return;
    *ecx7 &= ~X86_FEATURE_RDPID;
    *extended &= ~X86_FEATURE_RDTSCP;
}
