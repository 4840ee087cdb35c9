/* SPDX-License-Identifier: MIT */
/*
 * cpuid.c - the processor that the virtual PC shows: the board's own, minus what the
 * guest must not or cannot have (AMD-V, MONITOR, PMU, speculation controls), plus
 * what this kernel gives to everybody (x2APIC, TSC-deadline, ARAT).  Machine checks
 * it has, with no bank that could report one: without, Linux complains.
 *
 * The answers are prepared once for each vCPU, so that a CPUID exit is a table look-up on the
 * fast path: the same code runs there (guest's GS and XCR0 in place) and on the slow one.
 */
#include <arch/cpu.h>
#include <hal/time.h>
#include "pc.h"

#define BIT(n) (1u << (n))
#define LEAF1_ECX_HIDDEN                                                                                               \
    (BIT(2) | BIT(3) | BIT(4) | BIT(5) | BIT(6) | BIT(7) | BIT(8) | BIT(10) | BIT(11) | BIT(14) | BIT(15) | BIT(18) |  \
     BIT(27))
#define LEAF1_ECX_XSAVE  (BIT(12) | BIT(26) | BIT(28) | BIT(29)) /* FMA XSAVE AVX F16C */
#define LEAF1_ECX_GIVEN  (BIT(21) | BIT(24) | BIT(31))           /* x2APIC, TSC-deadline, hypervisor */
#define LEAF1_EDX_HIDDEN (BIT(18) | BIT(21) | BIT(22) | BIT(28) | BIT(29) | BIT(31))
#define LEAF7_EBX_SHOWN                                                                                                \
    (BIT(0) | BIT(3) | BIT(5) | BIT(7) | BIT(8) | BIT(9) | BIT(10) | BIT(18) | BIT(19) | BIT(20) | BIT(23) | BIT(24) | \
     BIT(29))
#define LEAF7_ECX_SHOWN (BIT(2) | BIT(9) | BIT(10) | BIT(22)) /* UMIP VAES VPCLMULQDQ RDPID */
#define LEAF7_EDX_SHOWN BIT(4)                                /* FSRM */
/* SVM, extended APIC space, OSVW, IBS, SKINIT, WDT, LWP, node id, topology, counters, MWAITX */
#define EXT1_ECX_HIDDEN                                                                                                \
    (BIT(2) | BIT(3) | BIT(9) | BIT(10) | BIT(12) | BIT(13) | BIT(15) | BIT(19) | BIT(22) | BIT(23) | BIT(24) |        \
     BIT(28) | BIT(29))
#define EXT8_EBX_SHOWN    (BIT(0) | BIT(2)) /* CLZERO, XSAVEERPTR */
#define HTT               BIT(28)
#define CR4_OSXSAVE_SHIFT 18

static struct cpuid_entry host(u32 leaf, u32 sub)
{
    struct cpuid_regs r = cpuid(leaf, sub);
    return (struct cpuid_entry){ r.eax, r.ebx, r.ecx, r.edx };
}

static unsigned id_bits(unsigned n) { return n > 1 ? bit_msb32(n - 1) + 1 : 0; }

static __init_text void prepare_basic(struct pc_vcpu *v, unsigned n, u64 xcr0)
{
    struct cpuid_entry *e = v->basic;
    e[0] = host(0, 0);
    e[0].eax = 0xd;
    e[1] = host(1, 0);
    e[1].ebx = (e[1].ebx & 0xff00) | n << 16 | v->lapic.id << 24;
    e[1].ecx = (e[1].ecx & ~(LEAF1_ECX_HIDDEN | (xcr0 & 4 ? 0 : LEAF1_ECX_XSAVE))) | (xcr0 ? e[1].ecx & BIT(26) : 0) |
               LEAF1_ECX_GIVEN;
    e[1].edx = (e[1].edx & ~LEAF1_EDX_HIDDEN) | (n > 1 ? HTT : 0);
    e[6].eax = BIT(2); /* ARAT: our timer never stops */
    e[7] = host(7, 0);
    e[7].eax = 0;
    e[7].ebx &= LEAF7_EBX_SHOWN & ~(xcr0 & 4 ? 0 : BIT(5));
    e[7].ecx &= LEAF7_ECX_SHOWN;
    e[7].edx &= LEAF7_EDX_SHOWN;
}

static __init_text void prepare_hypervisor(struct pc_vcpu *v)
{
    struct cpuid_entry *e = v->hyper;
    const struct sys_domain *conf = v->vcpu.vm->conf;
    if (!(conf->flags & SYS_KVM_PV)) {
        e[0] = (struct cpuid_entry){ 0x40000000, 0x6c616d41, 0x206d6167, 0x20202020 }; /* "Amalgam     " */
        return;
    }
    bool clock = conf->kvm & SYS_KVM_CLOCK;
    e[0] =
        (struct cpuid_entry){ clock ? 0x40000010 : 0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d }; /* "KVMKVMKVM" */
    e[1].eax = conf->kvm;
    if (!clock)
        return;
    e[16].eax = time_hz / 1000; /* TSC and APIC timer frequency in kHz */
    e[16].ebx = 1000000;
}

static __init_text void prepare_extended(struct pc_vcpu *v, unsigned n)
{
    struct cpuid_entry *e = v->extended;
    u32 last = MIN(host(0x80000000, 0).eax & 0xff, 0x1au);
    for (u32 i = 0; i <= last; i++)
        e[i] = host(0x80000000 + i, 0);
    e[0].eax = 0x80000000 + last;
    e[1].ecx = (e[1].ecx & ~EXT1_ECX_HIDDEN) | (n > 1 ? BIT(1) : 0); /* CmpLegacy */
    e[7] = (struct cpuid_entry){ 0, 0, 0, BIT(8) };                  /* invariant TSC: the kernel's own time base */
    e[8].ebx &= EXT8_EBX_SHOWN;
    e[8].ecx = id_bits(n) << 12 | (n - 1);
    e[8].edx = 0;
    e[10] = (struct cpuid_entry){ 0, 0, 0, 0 };
}

__init_text void cpuid_prepare(struct pc_vcpu *v)
{
    unsigned n = v->vcpu.vm->conf->n_vcpus;
    prepare_basic(v, n, vcpu_xcr0_supported());
    prepare_hypervisor(v);
    prepare_extended(v, n);
}

/* Leaves whose answer depends on ECX. */
static struct cpuid_entry sub_leaf(const struct pc_vcpu *v, u32 leaf, u32 sub)
{
    unsigned n = v->vcpu.vm->conf->n_vcpus;
    struct cpuid_entry none = { 0, 0, 0, 0 };
    if (leaf == 0xb) {
        if (sub > 1)
            return none;
        return (struct cpuid_entry){ sub ? id_bits(n) : 0, sub ? n : 1, sub | (sub + 1) << 8, v->lapic.id };
    }
    u64 xcr0 = vcpu_xcr0_supported();
    if (leaf != 0xd || !(v->basic[1].ecx & BIT(26)) || sub > 62 || (sub > 1 && !(xcr0 >> sub & 1)))
        return none;
    struct cpuid_entry e = host(0xd, sub);
    if (sub == 1) /* XSAVEOPT and XGETBV(1): the compacted forms would need IA32_XSS */
        e = (struct cpuid_entry){ e.eax & 5, 0, 0, 0 };
    return e;
}

static const struct cpuid_entry *entry_of(const struct pc_vcpu *v, u32 leaf)
{
    if (leaf < CPUID_BASIC)
        return &v->basic[leaf];
    if (leaf - 0x80000000u < CPUID_EXTENDED)
        return &v->extended[leaf - 0x80000000u];
    if (leaf - 0x40000000u < CPUID_HYPER)
        return &v->hyper[leaf - 0x40000000u];
    return &v->basic[2]; /* all zero */
}

void cpuid_exit(struct pc_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u32 leaf = h->vmcb->rax, sub = h->regs[RCX];
    struct cpuid_entry e = *entry_of(v, leaf);
    if (leaf == 1)
        e.ecx |= (h->vmcb->cr4 >> CR4_OSXSAVE_SHIFT & 1) << 27;
    else if (leaf == 0xb || leaf == 0xd)
        e = sub_leaf(v, leaf, sub);
    else if (leaf == 7 && sub)
        e = v->basic[2];
    h->vmcb->rax = e.eax;
    h->regs[RBX] = e.ebx;
    h->regs[RCX] = e.ecx;
    h->regs[RDX] = e.edx;
    vcpu_skip(h->vmcb, 2);
}
