/* SPDX-License-Identifier: MIT */
/*
 * reset.c - the state of a vCPU after RESET, INIT and a start-up IPI (APM vol. 2, 14.1.3 and 16.5).
 *
 * INIT is not RESET: it sets the registers that a processor begins with, and leaves caches and TSC, CR0.CD and NW, the
 * x87, media and extended state with XCR0, and the MSRs but EFER as they are.
 */
#include <arch/cpu.h>
#include <arch/vcpu.h>
#include <string.h>

#include "debug.h"

#define CR0_ET     (1ul << 4)
#define CR0_CACHES (3ul << 29) /* CD and NW */
#define PAT_RESET  0x0007040600070406ul

__cold void vmcb_init(struct vmcb *b)
{
    static const u16 attributes[VMCB_SEGMENTS] = { 0x93, 0x9b, 0x93, 0x93, 0x93, 0x93, 0, 0x82, 0, 0x8b };
    static const u64 registers[] = { 0x400, 0xffff0ff0, 2, 0xfff0 }; /* DR7, DR6, RFLAGS, RIP */
    u64 caches = b->cr0 & CR0_CACHES;
    memset(&b->es, 0, offsetof(struct vmcb, star) - offsetof(struct vmcb, es)); /* all but the MSRs of system calls */
    for (unsigned i = 0; i < VMCB_SEGMENTS; i++) {
        vmcb_segments(b)[i].attributes = attributes[i];
        vmcb_segments(b)[i].limit = 0xffff;
    }
    b->cs = (struct vmcb_segment){ 0xf000, 0x9b, 0xffff, 0xffff0000 };
    b->clean = 0;
    b->shadow = 0;
    b->efer = EFER_SVME;
    b->cr2 = 0;
    memcpy(&b->dr7, registers, sizeof(registers));
    b->cr0 = CR0_ET | caches;
}

__cold void vmcb_startup(struct vmcb *b, u8 vector)
{
    b->cs = (struct vmcb_segment){ (u16)(vector << 8), 0x9b, 0xffff, (u64)vector << 12 };
    b->rip = 0;
}

__cold void vcpu_init(struct hal_vcpu *v)
{
    struct vmcb *b = v->vmcb;
    memset(v->regs, 0, sizeof(v->regs));
    amdv_reset_debug(v);
    for (unsigned i = 0; i < ARRAY_SIZE(v->plain); i++)
        v->plain[i].at = (const u8 *)""; /* a byte 0, with which none of these instructions begins */
    v->regs[RDX] = cpuid(1, 0).eax;
    v->inject = 0;
    v->nmi_masked = v->stepping = false;
    vcpu_flush(v);
    b->intercept1 &= ~(INT1_IRET | INT1_VINTR);
    b->vintr = VINTR_MASKING;
    b->exit_int_info = 0;
    vmcb_init(b);
}

/* CR0.CD and NW, which RESET sets, are clear, as firmware leaves them on all CPUs. */
__cold void vcpu_reset(struct hal_vcpu *v)
{
    struct vmcb *b = v->vmcb;
    b->cr0 = 0;
    vcpu_init(v);
    v->tsc_aux = 0;
    memset(&b->star, 0, offsetof(struct vmcb, cr2) - offsetof(struct vmcb, star)); /* the MSRs of system calls */
    b->pat = PAT_RESET;
}

__cold void vcpu_sipi(struct hal_vcpu *v, u8 vector)
{
    vmcb_startup(v->vmcb, vector);
    vcpu_dirty(v, CLEAN_SEG);
}
