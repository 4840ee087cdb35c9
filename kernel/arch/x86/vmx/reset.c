/* SPDX-License-Identifier: MIT */
/*
 * reset.c - the state of a vCPU after RESET, INIT and a start-up IPI (Intel SDM vol. 3, 10.1.1 and 11.4.4), in its
 * record: the next entry writes it.
 *
 * INIT is not RESET: it leaves caches and TSC, CR0.CD and NW, the x87, media and extended state with XCR0, and the MSRs
 * but EFER as they are.
 */
#include <arch/cpu.h>
#include <arch/vcpu.h>
#include <string.h>

#define CR0_ET     (1ul << 4)
#define CR0_CACHES (3ul << 29) /* CD and NW */
#define PAT_RESET  0x0007040600070406ul
#define DR6_RESET  0xffff0ff0ul
#define DR7_RESET  0x400ul

static __cold void reset_segments(struct guest_cpu *cpu)
{
    static const u16 attributes[] = { 0x93, 0x9b, 0x93, 0x93, 0x93, 0x93, 0, 0x82, 0, 0x8b };
    for (unsigned i = 0; i < ARRAY_SIZE(attributes); i++)
        guest_segments(cpu)[i] = (struct vmcb_segment){ 0, attributes[i], 0xffff, 0 };
    cpu->cs = (struct vmcb_segment){ 0xf000, 0x9b, 0xffff, 0xffff0000 };
}

__cold void vcpu_init(struct hal_vcpu *v)
{
    struct guest_cpu *cpu = &v->cpu;
    u64 caches = cpu->cr0 & CR0_CACHES, pat = cpu->pat;
    memset(v->regs, 0, sizeof(v->regs));
    memset(v->dr, 0, sizeof(v->dr));
    memset(cpu, 0, sizeof(*cpu));
    v->dr6 = cpu->dr6 = DR6_RESET;
    cpu->dr7 = DR7_RESET;
    cpu->rflags = 2;
    cpu->rip = 0xfff0;
    cpu->cr0 = CR0_ET | caches;
    cpu->pat = pat;
    reset_segments(cpu);
    v->regs[RDX] = cpuid(1, 0).eax;
    v->inject = 0;
    v->shadow = 0;
    v->offered = 0;
    v->apic[VIRTUAL_TPR] = 0;
    v->window = v->nmi_window = false;
    v->dirty = (v->dirty & (DIRTY_VMCS | DIRTY_SYSCALLS)) | DIRTY_RESET;
}

/* CR0.CD and NW, which RESET sets, are clear, as firmware leaves them on all CPUs. */
__cold void vcpu_reset(struct hal_vcpu *v)
{
    v->cpu.cr0 = 0;
    v->cpu.pat = PAT_RESET;
    v->tsc_aux = 0;
    vcpu_init(v);
    v->dirty |= DIRTY_SYSCALLS;
}

__cold void vcpu_sipi(struct hal_vcpu *v, u8 vector)
{
    v->cpu.cs = (struct vmcb_segment){ (u16)(vector << 8), 0x9b, 0xffff, (u64)vector << 12 };
    v->cpu.rip = 0;
    vcpu_dirty(v, CLEAN_SEG);
}
