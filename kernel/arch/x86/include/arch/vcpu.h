/* SPDX-License-Identifier: MIT */
/*
 * arch/vcpu.h (x86) - one virtual CPU: the registers that VMRUN does not switch,
 * its control block, and what the machine model (vm/pc) may ask of it between runs.
 *
 * Between runs the machine model reads and writes registers through vcpu_gpr() and
 * v->vmcb directly; whoever changes a cached field of the VMCB drops its clean bit
 * with vcpu_dirty().
 */
#ifndef AMALGAM_ARCH_VCPU_H
#define AMALGAM_ARCH_VCPU_H

#include <arch/vmcb.h>
#include <hal/vcpu.h>

/* What every core of this machine offers (AMDV_*, ANDed over the cores). */
extern u32 amdv_features;

struct hal_vcpu {
    struct vmcb *vmcb; /* first what most code wants: near fields have short addresses */
    u64 inject;        /* event for the next entry, as in VMCB.event_inject */
    u64 regs[16];      /* RAX and RSP live in the VMCB. Entry code knows the offsets of this ... */
    paddr_t vmcb_pa;   /* ... and of these two */
    u64 fast_exits;
    u32 asid_generation; /* the core's when the ASID was given; any other value: needs a fresh one */
    u32 core;            /* that it ran on last */
    u32 tsc_aux;
    u64 dr[4];       /* DR0-3 while another vCPU's are in the registers */
    bool nmi_masked; /* between delivery of an NMI and its IRET */
    bool stepping;   /* over that IRET */
    /*
     * The machine model's part of the fast path: called with GIF clear and the
     * guest's GS, so it may touch nothing but `v`, what is reached through it and
     * atomics, and of the registers RAX-RDX, RSI, RDI, R8-R11. True: dealt with, RIP advanced.
     */
    bool (*fast)(struct hal_vcpu *v, u64 exit_code);
    /*
     * Without NRIPS nobody says how long an intercepted instruction is, and to look at it takes a walk through
     * the guest's tables: `measure` does that (next_rip is RIP_UNKNOWN) for one of `length` bytes without prefixes.
     * It sets next_rip, 0 for no prefixes; and enters the place of such a one in the guest's kernel in `plain`, where
     * the fast path sees whether an opcode still begins there.
     */
    void (*measure)(struct hal_vcpu *v, unsigned length);
    struct vcpu_plain {
        u64 rip;
        const u8 *at;
    } plain[16];
    u64 exits[VCPU_EXIT_REASONS];
};

_Static_assert(offsetof(struct hal_vcpu, regs) == 16 && offsetof(struct hal_vcpu, vmcb_pa) == 144 &&
                   offsetof(struct hal_vcpu, fast_exits) == 152,
               "amdv/entry.S");

static inline u64 *vcpu_gpr(struct hal_vcpu *v, unsigned n)
{
    return n == RAX ? &v->vmcb->rax : n == RSP ? &v->vmcb->rsp : &v->regs[n];
}

#define RIP_UNKNOWN ~0ul

static inline struct vcpu_plain *plain_at(struct hal_vcpu *v, u64 rip) { return &v->plain[rip / 16 % 16]; }

/* A cached group of the VMCB (CLEAN_*) was changed. */
static inline void vcpu_dirty(struct hal_vcpu *v, u32 group) { v->vmcb->clean &= ~group; }

/* vmcb_skip() out of line. `measure` sets next_rip, too. */
void vcpu_skip(struct vmcb *b, unsigned length);

/* Offer external interrupt `vector` to the guest: it takes it when RFLAGS.IF and its TPR allow, without an exit. */
static inline void vcpu_offer_irq(struct hal_vcpu *v, unsigned vector)
{
    struct vmcb *b = v->vmcb;
    u32 want = (b->vintr & ~VINTR_PRIO) | VINTR_IRQ | vector >> 4 << VINTR_PRIO_SHIFT;
    if (want != b->vintr || b->vintr_vector != vector) {
        b->vintr = want;
        b->vintr_vector = vector;
        vcpu_dirty(v, CLEAN_VINTR);
    }
}

static inline void vcpu_withdraw_irq(struct hal_vcpu *v)
{
    if (v->vmcb->vintr & VINTR_IRQ) {
        v->vmcb->vintr &= ~(VINTR_IRQ | VINTR_PRIO);
        vcpu_dirty(v, CLEAN_VINTR);
    }
}

/* Leave the guest (VCPU_EXIT_WINDOW) as soon as it could take an interrupt whose vector is not known yet. */
void vcpu_request_window(struct hal_vcpu *v);
void vcpu_cancel_window(struct hal_vcpu *v);
static inline bool vcpu_irq_offered(const struct hal_vcpu *v) { return v->vmcb->vintr & VINTR_IRQ; }

/* Raise an exception at the guest's next instruction; an event that is already due goes first and this one is lost to
 * it. */
void vcpu_inject_exception(struct hal_vcpu *v, unsigned vector, bool has_error, u32 error);
/* Inject an external interrupt now. -EBUSY: the guest cannot take it yet. */
int vcpu_inject_irq(struct hal_vcpu *v, unsigned vector);
bool vcpu_irq_window(const struct hal_vcpu *v);
/* Inject an NMI now. Returns -EBUSY while one is handled: its IRET exits; -EAGAIN while another event is due or the
 * guest is in an interrupt shadow (15.21.5): try again, no exit of the guest's follows from it. */
int vcpu_inject_nmi(struct hal_vcpu *v);
/* A vCPU after INIT; MTRRs and the like are the machine model's. */
void vcpu_reset(struct hal_vcpu *v);
/* A start-up IPI came. */
void vcpu_sipi(struct hal_vcpu *v, u8 vector);
/* MSR TSC_AUX, which VMRUN does not switch. */
void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value);
/* XCR0 as INIT leaves it; the thread that runs the vCPU, once before its first run. */
void vcpu_reset_xcr0(void);
/* Bits of XCR0 that this machine lets guests enable. */
u64 vcpu_xcr0_supported(void);

#endif
