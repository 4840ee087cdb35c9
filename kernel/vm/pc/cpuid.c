/* SPDX-License-Identifier: MIT */
/*
 * cpuid.c - the processor that the virtual PC shows: the board's own, without features that a guest must not or cannot
 * have (AMD-V, MONITOR, PMU, speculation controls), and with features that this kernel implements for all (x2APIC,
 * TSC-deadline, ARAT). It has machine checks, but no bank that could report one, because Linux complains about a
 * processor without.
 *
 * The answers are prepared once for each vCPU. So a CPUID exit is a table look-up, by the same code on the fast path
 * (with the guest's GS and XCR0 in place) and on the slow path.
 */
#include <arch/cpu.h>
#include <arch/features.h>
#include <hal/time.h>
#include <string.h>
#include "pc.h"

/* Features of the board that a guest does not get: the kernel does not virtualize them. */
#define LEAF1_ECX_HIDDEN                                                                                               \
    (X86_FEATURE_DTES64 | X86_FEATURE_MWAIT | X86_FEATURE_DSCPL | X86_FEATURE_VMX | X86_FEATURE_SMX |                  \
     X86_FEATURE_EST | X86_FEATURE_TM2 | X86_FEATURE_CID | X86_FEATURE_SDBG | X86_FEATURE_XTPR | X86_FEATURE_PDCM |    \
     X86_FEATURE_DCA | X86_FEATURE_OSXSAVE)
#define LEAF1_EDX_HIDDEN                                                                                               \
    (X86_FEATURE_PN | X86_FEATURE_DS | X86_FEATURE_ACPI | X86_FEATURE_HT | X86_FEATURE_ACC | X86_FEATURE_PBE)
#define EXT1_ECX_HIDDEN                                                                                                \
    (X86_FEATURE_SVM | X86_FEATURE_EXTAPIC | X86_FEATURE_OSVW | X86_FEATURE_IBS | X86_FEATURE_SKINIT |                 \
     X86_FEATURE_WDT | X86_FEATURE_LWP | X86_FEATURE_NODEID_MSR | X86_FEATURE_TOPOEXT | X86_FEATURE_PERFCTR_CORE |     \
     X86_FEATURE_PERFCTR_NB | X86_FEATURE_PERFCTR_LLC | X86_FEATURE_MWAITX)
/* Features that a guest gets if the board has them. */
#define LEAF7_EBX_SHOWN                                                                                                \
    (X86_FEATURE_FSGSBASE | X86_FEATURE_BMI1 | X86_FEATURE_AVX2 | X86_FEATURE_SMEP | X86_FEATURE_BMI2 |                \
     X86_FEATURE_ERMS | X86_FEATURE_INVPCID | X86_FEATURE_RDSEED | X86_FEATURE_ADX | X86_FEATURE_SMAP |                \
     X86_FEATURE_CLFLUSHOPT | X86_FEATURE_CLWB | X86_FEATURE_SHA_NI)
#define LEAF7_ECX_SHOWN (X86_FEATURE_UMIP | X86_FEATURE_VAES | X86_FEATURE_VPCLMULQDQ | X86_FEATURE_RDPID)
#define LEAF7_EDX_SHOWN X86_FEATURE_FSRM
#define EXT8_EBX_SHOWN  (X86_FEATURE_CLZERO | X86_FEATURE_XSAVEERPTR)
/* Features that each guest gets, because this kernel implements them. */
#define LEAF1_ECX_GIVEN (X86_FEATURE_X2APIC | X86_FEATURE_TSC_DEADLINE_TIMER | X86_FEATURE_HYPERVISOR)
/* Features that need AVX's state. */
#define LEAF1_ECX_AVX (X86_FEATURE_FMA | X86_FEATURE_AVX | X86_FEATURE_F16C)
#define XCR0_YMM      4u
#define EMPTY         2 /* a leaf that is all zero */

static struct cpuid_entry *entry_of(struct pc_vcpu *v, u32 leaf)
{
    if (leaf < CPUID_BASIC)
        return &v->basic[leaf];
    if (leaf - 0x80000000u < CPUID_EXTENDED)
        return &v->extended[leaf - 0x80000000u];
    if (leaf - 0x40000000u < CPUID_HYPER)
        return &v->hyper[leaf - 0x40000000u];
    return &v->basic[EMPTY];
}

static __noinline void read_host(struct cpuid_entry *e, u32 leaf, u32 sub)
{
    struct cpuid_regs r = cpuid(leaf, sub);
    *e = (struct cpuid_entry){ r.eax, r.ebx, r.ecx, r.edx };
}

static unsigned id_bits(unsigned n) { return n > 1 ? bit_msb32(n - 1) + 1 : 0; }

/* Copy the board's leaves, without features that a guest must not know. */
static __init_text void prepare_shown(struct pc_vcpu *v)
{
    static const struct {
        u32 leaf;
        struct cpuid_entry shown;
    } leaves[] = {
        { 0, { 0, ~0u, ~0u, ~0u } },
        { 1, { ~0u, 0xff00, ~LEAF1_ECX_HIDDEN, ~LEAF1_EDX_HIDDEN } },
        { 7, { 0, LEAF7_EBX_SHOWN, LEAF7_ECX_SHOWN, LEAF7_EDX_SHOWN } },
        { 0x80000001, { ~0u, ~0u, ~EXT1_ECX_HIDDEN, ~0u } },
        { 0x80000007, { 0, 0, 0, 0 } },
        { 0x80000008, { ~0u, EXT8_EBX_SHOWN, 0, 0 } },
        { 0x8000000a, { 0, 0, 0, 0 } },
    };
    struct cpuid_entry *e = v->extended;
    read_host(e, 0x80000000, 0);
    u32 last = 0x80000000 + MIN(e->eax & 0xff, 0x1au);
    for (u32 leaf = 0x80000001; leaf <= last; leaf++)
        read_host(entry_of(v, leaf), leaf, 0);
    e->eax = last;
    for (unsigned i = 0; i < ARRAY_SIZE(leaves); i++) {
        const struct cpuid_entry *shown = &leaves[i].shown;
        e = entry_of(v, leaves[i].leaf);
        read_host(e, leaves[i].leaf, 0);
        e->eax &= shown->eax;
        e->ebx &= shown->ebx;
        e->ecx &= shown->ecx;
        e->edx &= shown->edx;
    }
    vcpu_hide_features(&v->basic[7].ebx, &v->basic[7].ecx, &v->extended[1].edx);
}

/* Set what depends on this guest, and the features that this kernel implements. */
static __init_text void prepare_given(struct pc_vcpu *v, unsigned n, u64 xcr0)
{
    struct cpuid_entry *e = v->basic, *x = v->extended;
    e[0].eax = 0xd;
    e[1].ebx |= n << 16 | v->lapic.id << 24;
    if (!xcr0)
        e[1].ecx &= ~X86_FEATURE_XSAVE;
    if (!(xcr0 & XCR0_YMM)) {
        e[1].ecx &= ~LEAF1_ECX_AVX;
        e[7].ebx &= ~X86_FEATURE_AVX2;
    }
    e[1].ecx |= LEAF1_ECX_GIVEN;
    e[6].eax = X86_FEATURE_ARAT; /* our timer never stops */
    if (n > 1) {
        e[1].edx |= X86_FEATURE_HT;
        x[1].ecx |= X86_FEATURE_CMP_LEGACY;
    }
    x[7].edx = X86_FEATURE_INVARIANT_TSC;
    x[8].ecx = id_bits(n) << 12 | (n - 1);
}

static __init_text void prepare_hypervisor(struct pc_vcpu *v)
{
    struct cpuid_entry *e = v->hyper;
    const struct sys_domain *conf = v->vcpu.vm->conf;
    bool kvm = conf->flags & SYS_KVM_PV, clock = sys_vm(conf)->kvm & SYS_KVM_CLOCK;
    memcpy(&e[0].ebx, kvm ? "KVMKVMKVM\0\0" : "Amalgam     ", 12); /* fills EBX, ECX and EDX */
    e[0].eax = 0x40000000 + (clock ? 16 : kvm);
    e[1].eax = sys_vm(conf)->kvm; /* 0 without SYS_KVM_PV (pc_table.c) */
    if (clock) {
        e[16].eax = time_hz / 1000; /* TSC frequency, and below the APIC timer's, in kHz */
        e[16].ebx = 1000000;
    }
}

__init_text void cpuid_prepare(struct pc_vcpu *v)
{
    prepare_shown(v);
    prepare_given(v, v->vcpu.vm->conf->n_vcpus, vcpu_xcr0_supported());
    prepare_hypervisor(v);
}

/* Compute a leaf whose answer depends on ECX; its entry holds the latest answer. */
static void sub_leaf(const struct pc_vcpu *v, u32 leaf, u32 sub, struct cpuid_entry *e)
{
    *e = (struct cpuid_entry){ 0, 0, 0, 0 };
    if (leaf == 0xb) { /* level 0: a core's threads, one; level 1: the package's cores, as in leaf 0x80000008 */
        u32 cores = sub ? v->extended[8].ecx : 0;
        if (sub <= 1)
            *e = (struct cpuid_entry){ cores >> 12, (cores & 0xff) + 1, sub | (sub + 1) << 8, v->lapic.id };
        return;
    }
    if (!(v->basic[1].ecx & X86_FEATURE_XSAVE) || sub > 62 || (sub > 1 && !(vcpu_xcr0_supported() >> sub & 1)))
        return;
    read_host(e, 0xd, sub);
    if (sub == 1) /* XSAVEOPT and XGETBV(1) only: the compacted forms would need IA32_XSS */
        *e = (struct cpuid_entry){ e->eax & 5, 0, 0, 0 };
}

void cpuid_exit(struct pc_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u32 leaf = vcpu_cpu(h)->rax, sub = h->regs[RCX];
    struct cpuid_entry *e = entry_of(v, leaf == 7 && sub ? EMPTY : leaf);
    if (leaf == 1)
        e->ecx = (e->ecx & ~X86_FEATURE_OSXSAVE) | (vcpu_cpu(h)->cr4 & CR4_OSXSAVE ? X86_FEATURE_OSXSAVE : 0);
    else if (leaf == 0xb || leaf == 0xd)
        sub_leaf(v, leaf, sub, e);
    vcpu_cpu(h)->rax = e->eax;
    h->regs[RBX] = e->ebx;
    h->regs[RCX] = e->ecx;
    h->regs[RDX] = e->edx;
    vcpu_advance(h, 2);
}
