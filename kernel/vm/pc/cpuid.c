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
#include <string.h>
#include "pc.h"

#define BIT(n) (1u << (n))
#define LEAF1_ECX_HIDDEN                                                                                               \
    (BIT(2) | BIT(3) | BIT(4) | BIT(5) | BIT(6) | BIT(7) | BIT(8) | BIT(10) | BIT(11) | BIT(14) | BIT(15) | BIT(18) |  \
     BIT(27))
#define LEAF1_ECX_AVX     (BIT(12) | BIT(28) | BIT(29)) /* FMA AVX F16C */
#define LEAF1_ECX_XSAVE   BIT(26)
#define LEAF1_ECX_OSXSAVE BIT(27)                       /* a copy of CR4's bit */
#define LEAF1_ECX_GIVEN   (BIT(21) | BIT(24) | BIT(31)) /* x2APIC, TSC-deadline, hypervisor */
#define LEAF1_EDX_HIDDEN  (BIT(18) | BIT(21) | BIT(22) | BIT(28) | BIT(29) | BIT(31))
#define LEAF7_EBX_SHOWN                                                                                                \
    (BIT(0) | BIT(3) | BIT(5) | BIT(7) | BIT(8) | BIT(9) | BIT(10) | BIT(18) | BIT(19) | BIT(20) | BIT(23) | BIT(24) | \
     BIT(29))
#define LEAF7_ECX_SHOWN (BIT(2) | BIT(9) | BIT(10) | BIT(22)) /* UMIP VAES VPCLMULQDQ RDPID */
#define LEAF7_EDX_SHOWN BIT(4)                                /* FSRM */
/* SVM, extended APIC space, OSVW, IBS, SKINIT, WDT, LWP, node id, topology, counters, MWAITX */
#define EXT1_ECX_HIDDEN                                                                                                \
    (BIT(2) | BIT(3) | BIT(9) | BIT(10) | BIT(12) | BIT(13) | BIT(15) | BIT(19) | BIT(22) | BIT(23) | BIT(24) |        \
     BIT(28) | BIT(29))
#define LEAF7_EBX_AVX2 BIT(5)
#define EXT7_EDX_GIVEN BIT(8)            /* invariant TSC: the kernel's own time base */
#define EXT8_EBX_SHOWN (BIT(0) | BIT(2)) /* CLZERO, XSAVEERPTR */
#define HTT            BIT(28)
#define EMPTY          2 /* a leaf that is all zero */

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

static __noinline void host(struct cpuid_entry *e, u32 leaf, u32 sub)
{
    struct cpuid_regs r = cpuid(leaf, sub);
    *e = (struct cpuid_entry){ r.eax, r.ebx, r.ecx, r.edx };
}

static unsigned id_bits(unsigned n) { return n > 1 ? bit_msb32(n - 1) + 1 : 0; }

/* The board's, where a guest may know them: those of the basic leaves, and all extended ones but what is in the way. */
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
    host(e, 0x80000000, 0);
    u32 last = 0x80000000 + MIN(e->eax & 0xff, 0x1au);
    for (u32 leaf = 0x80000001; leaf <= last; leaf++)
        host(entry_of(v, leaf), leaf, 0);
    e->eax = last;
    for (unsigned i = 0; i < ARRAY_SIZE(leaves); i++) {
        const struct cpuid_entry *shown = &leaves[i].shown;
        e = entry_of(v, leaves[i].leaf);
        host(e, leaves[i].leaf, 0);
        e->eax &= shown->eax;
        e->ebx &= shown->ebx;
        e->ecx &= shown->ecx;
        e->edx &= shown->edx;
    }
}

/* What depends on this guest, and what everybody gets. */
static __init_text void prepare_given(struct pc_vcpu *v, unsigned n, u64 xcr0)
{
    struct cpuid_entry *e = v->basic, *x = v->extended;
    e[0].eax = 0xd;
    e[1].ebx |= n << 16 | v->lapic.id << 24;
    if (!xcr0)
        e[1].ecx &= ~LEAF1_ECX_XSAVE;
    if (!(xcr0 & 4)) {
        e[1].ecx &= ~LEAF1_ECX_AVX;
        e[7].ebx &= ~LEAF7_EBX_AVX2;
    }
    e[1].ecx |= LEAF1_ECX_GIVEN;
    e[6].eax = BIT(2); /* ARAT: our timer never stops */
    if (n > 1) {
        e[1].edx |= HTT;
        x[1].ecx |= BIT(1); /* CmpLegacy */
    }
    x[7].edx = EXT7_EDX_GIVEN;
    x[8].ecx = id_bits(n) << 12 | (n - 1);
}

static __init_text void prepare_hypervisor(struct pc_vcpu *v)
{
    struct cpuid_entry *e = v->hyper;
    const struct sys_domain *conf = v->vcpu.vm->conf;
    bool kvm = conf->flags & SYS_KVM_PV, clock = conf->vm.kvm & SYS_KVM_CLOCK;
    memcpy(&e[0].ebx, kvm ? "KVMKVMKVM\0\0" : "Amalgam     ", 12); /* to ECX and EDX */
    e[0].eax = 0x40000000 + (clock ? 16 : kvm);
    e[1].eax = conf->vm.kvm; /* only with the former: pc_table.c */
    if (clock) {
        e[16].eax = time_hz / 1000; /* TSC and APIC timer frequency in kHz */
        e[16].ebx = 1000000;
    }
}

__init_text void cpuid_prepare(struct pc_vcpu *v)
{
    prepare_shown(v);
    prepare_given(v, v->vcpu.vm->conf->n_vcpus, vcpu_xcr0_supported());
    prepare_hypervisor(v);
}

/* Leaves whose answer depends on ECX: their entries have the latest. */
static void sub_leaf(const struct pc_vcpu *v, u32 leaf, u32 sub, struct cpuid_entry *e)
{
    *e = (struct cpuid_entry){ 0, 0, 0, 0 };
    if (leaf == 0xb) { /* a core's threads: one; the package's cores: as leaf 0x80000008 has them */
        u32 cores = sub ? v->extended[8].ecx : 0;
        if (sub <= 1)
            *e = (struct cpuid_entry){ cores >> 12, (cores & 0xff) + 1, sub | (sub + 1) << 8, v->lapic.id };
        return;
    }
    if (!(v->basic[1].ecx & LEAF1_ECX_XSAVE) || sub > 62 || (sub > 1 && !(vcpu_xcr0_supported() >> sub & 1)))
        return;
    host(e, 0xd, sub);
    if (sub == 1) /* XSAVEOPT and XGETBV(1): the compacted forms would need IA32_XSS */
        *e = (struct cpuid_entry){ e->eax & 5, 0, 0, 0 };
}

void cpuid_exit(struct pc_vcpu *v)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    u32 leaf = h->vmcb->rax, sub = h->regs[RCX];
    struct cpuid_entry *e = entry_of(v, leaf == 7 && sub ? EMPTY : leaf);
    if (leaf == 1)
        e->ecx = (e->ecx & ~LEAF1_ECX_OSXSAVE) | (h->vmcb->cr4 & CR4_OSXSAVE ? LEAF1_ECX_OSXSAVE : 0);
    else if (leaf == 0xb || leaf == 0xd)
        sub_leaf(v, leaf, sub, e);
    h->vmcb->rax = e->eax;
    h->regs[RBX] = e->ebx;
    h->regs[RCX] = e->ecx;
    h->regs[RDX] = e->edx;
    vcpu_skip(h->vmcb, 2);
}
