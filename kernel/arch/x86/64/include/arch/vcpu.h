/* SPDX-License-Identifier: MIT */
/*
 * arch/vcpu.h (x86, 64 bits, AMD-V) - a virtual CPU: the registers that VMRUN does not switch, its VMCB, and the
 * functions for the machine model (vm/pc) between runs.
 *
 * Between runs the machine model reads and writes registers by vcpu_gpr() and vcpu_cpu(), and learns by functions what
 * the hardware said of the exit. It does not know the VMCB. Code that changes a cached register clears the clean bit of
 * its group by vcpu_dirty().
 */
#ifndef AMALGAM_ARCH_VCPU_H
#define AMALGAM_ARCH_VCPU_H

#include <arch/vmcb.h>
#include <hal/vcpu.h>

/* Features that all cores of this machine have (AMDV_*). */
extern u32 amdv_features;

struct hal_vcpu {
    struct vmcb *vmcb; /* the most used fields are first: they have short addresses */
    u64 inject;        /* event for the next entry, in the format of VMCB.event_inject */
    u64 regs[16];      /* RAX and RSP are in the VMCB. amdv/entry.S knows the offset of this field and of `vmcb` */
    paddr_t vmcb_pa;   /* and the offsets of this and the next one */
    u64 fast_exits;
    u64 asid_generation; /* the core's generation when the ASID was assigned; if they differ a new ASID is needed */
    u32 core;            /* the core that it ran on last */
    u32 tsc_aux;
    u64 dr[4];       /* DR0-3 while the registers hold another vCPU's */
    bool nmi_masked; /* between delivery of an NMI and its IRET */
    bool stepping;   /* a single step over that IRET */
    bool own_step;   /* and the guest has set TF itself */
    /*
     * The machine model's part of the fast path. It is called with GIF clear and the guest's GS, so it may use only
     * `v`, memory reached through it, atomics, and of the registers RAX-RDX, RSI, RDI, R8-R11. Returns true if the exit
     * was handled and RIP advanced (vcpu_advance()).
     */
    bool (*fast)(struct hal_vcpu *v, u64 exit_code);
    /*
     * Without NRIPS the length of an intercepted instruction is unknown, and to read it takes a walk through the
     * guest's tables. `measure` does that (next_rip is RIP_UNKNOWN) for an instruction of `length` bytes without
     * prefixes. It sets next_rip, 0 if there are no prefixes and RIP does not wrap. It also enters the place of such an
     * instruction of the guest's kernel into `plain`, where the fast path checks that the opcode is still there.
     */
    void (*measure)(struct hal_vcpu *v, unsigned length);
    struct vcpu_plain {
        u64 rip;
        const u8 *at;
    } plain[16];
    u64 exits[VCPU_EXIT_REASONS];
};

_Static_assert(!offsetof(struct hal_vcpu, vmcb) && offsetof(struct hal_vcpu, regs) == 16 &&
                   offsetof(struct hal_vcpu, vmcb_pa) == 144 && offsetof(struct hal_vcpu, fast_exits) == 152,
               "amdv/entry.S");

/* Return the registers that VMRUN switches. */
static inline struct guest_cpu *vcpu_cpu(const struct hal_vcpu *v) { return vmcb_cpu(v->vmcb); }

static inline u64 *vcpu_gpr(struct hal_vcpu *v, unsigned n)
{
    return n == RAX ? &v->vmcb->rax : n == RSP ? &v->vmcb->rsp : &v->regs[n];
}

#define RIP_UNKNOWN ~0ul

static inline struct vcpu_plain *plain_at(struct hal_vcpu *v, u64 rip) { return &v->plain[rip / 16 % 16]; }

static inline bool vcpu_nmi_masked(const struct hal_vcpu *v) { return v->nmi_masked; }

/* A cached group of the VMCB (CLEAN_*) was changed. */
static inline void vcpu_dirty(struct hal_vcpu *v, u32 group) { v->vmcb->clean &= ~group; }

/* Raw exit codes that the machine model handles: on the fast path, and of VCPU_EXIT_OTHER. */
enum vcpu_raw {
    RAW_HYPERCALL = VMEXIT_VMMCALL,
    RAW_CPUID = VMEXIT_CPUID,
    RAW_STRING_IO = VMEXIT_IOIO,
    RAW_PAUSE = VMEXIT_PAUSE,
};
static inline bool vcpu_raw_is_msr(u64 code) { return code == VMEXIT_MSR; }
/* Returns whether the exit was a write of CR8 / a #UD that may be a hypercall in another maker's encoding. */
static inline bool vcpu_raw_is_cr8(u64 code) { return code == VMEXIT_CR8_WRITE; }
static inline bool vcpu_raw_is_undefined(u64 code) { return false; }

/* Bits of EFER that the hardware wants of each guest, which does not see them; those that a guest may set: CPUID shows
 * FFXSR if the board has it. */
#define VCPU_EFER_OWN   EFER_SVME
#define VCPU_EFER_GUEST (EFER_SCE | EFER_LME | EFER_NXE | EFER_FFXSR)
/* Rows of vm/pc/msr.c that only this maker's processors have beside those of all. */
#define VCPU_MSR_CONSTANTS

/* --- what the hardware said of an exit --------------------------------------------------------------- */

static inline bool vcpu_msr_written(const struct hal_vcpu *v) { return v->vmcb->exit_info1 & MSR_WRITTEN; }
static inline u16 vcpu_io_port(const struct hal_vcpu *v) { return ioio_port(v->vmcb->exit_info1); }
/* Of an access without RAM: it was one of the walk through the guest's page tables; it was a fetch of code. */
static inline bool vcpu_missed_table(const struct hal_vcpu *v) { return v->vmcb->exit_info1 & NPF_TABLES; }
static inline bool vcpu_missed_code(const struct hal_vcpu *v) { return v->vmcb->exit_info1 & NPF_FETCH; }
/* Return how many bytes of the instruction the hardware has fetched, which become *bytes; 0: it does not say. */
static inline unsigned vcpu_fetched(const struct hal_vcpu *v, const u8 **bytes)
{
    *bytes = v->vmcb->bytes;
    return v->vmcb->fetched & 15;
}
/* Return EXITCODE, EXITINFO1 and EXITINFO2, for a report. */
static inline const u64 *vcpu_raw_exit(const struct hal_vcpu *v) { return &v->vmcb->exit_code; }
_Static_assert(offsetof(struct vmcb, exit_info2) == offsetof(struct vmcb, exit_code) + 16, "three in a row");

/* --- stepping over an instruction ---------------------------------------------------------------------- */

static inline void vcpu_measure_by(struct hal_vcpu *v, void (*measure)(struct hal_vcpu *v, unsigned length))
{
    v->measure = measure;
}
/* hal_vcpu.fast asks itself, at no cost to the others. */
static inline void vcpu_fast_call(struct hal_vcpu *v, u64 number) {}
/* For hal_vcpu.measure: set next_rip. */
static inline void vcpu_set_next(struct hal_vcpu *v, u64 rip) { v->vmcb->next_rip = rip; }
/* vmcb_advance(), in line and out of line. On the slow path vcpu_trap() follows, or vcpu_advanced(); on the fast path
 * amdv/entry.S does it. */
static inline void vcpu_step(struct hal_vcpu *v, unsigned length) { vmcb_advance(v->vmcb, length); }
static inline void vcpu_step_fast(struct hal_vcpu *v, unsigned length) { vcpu_step(v, length); }
void vmcb_advance_called(struct vmcb *b, unsigned length);
static inline void vcpu_advance(struct hal_vcpu *v, unsigned length) { vmcb_advance_called(v->vmcb, length); }
/* vmcb_trap() for a vCPU: the #DB comes at its next entry. */
void vcpu_traced(struct hal_vcpu *v);
static inline void vcpu_trap(struct hal_vcpu *v)
{
    if (unlikely(v->vmcb->rflags & TRACED))
        vcpu_traced(v);
}
static inline void vcpu_advanced(struct hal_vcpu *v) { vcpu_trap(v); }
/* Retire an instruction that was executed for the guest: an intercepted one, of `length` bytes or of the length that
 * the hardware says; any other, which the instruction at `rip` follows. */
void vcpu_skip(struct hal_vcpu *v, unsigned length);
static inline void vcpu_retire(struct hal_vcpu *v, u64 rip)
{
    vmcb_go_on(v->vmcb, rip);
    vcpu_trap(v);
}

/* --- interrupts and exceptions ------------------------------------------------------------------------- */

/* The guest's task priority, bits 7-4 of its TPR, which it may change without an exit. */
static inline u32 vcpu_tpr(const struct hal_vcpu *v) { return v->vmcb->vintr << 4 & 0xf0; }
static inline void vcpu_set_tpr(struct hal_vcpu *v, u32 tpr)
{
    v->vmcb->vintr = (v->vmcb->vintr & ~VINTR_TPR) | (tpr >> 4 & 0xf);
    vcpu_dirty(v, CLEAN_VINTR);
}

/* Offer external interrupt `vector` to the guest, which takes it when RFLAGS.IF and its TPR permit, without an exit. */
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

/* Let the guest exit (VCPU_EXIT_WINDOW) as soon as it can take an interrupt whose vector is not known yet. */
void vcpu_request_window(struct hal_vcpu *v);
void vcpu_cancel_window(struct hal_vcpu *v);
static inline bool vcpu_irq_offered(const struct hal_vcpu *v) { return v->vmcb->vintr & VINTR_IRQ; }
/* Return whether an event comes at the next entry whatever the guest's IF: a HLT ends at once. */
static inline bool vcpu_event_due(const struct hal_vcpu *v) { return v->inject & EVENT_VALID; }

/* Raise an exception at the guest's next instruction. If another event is pending already, the exception is dropped. */
void vcpu_inject_exception(struct hal_vcpu *v, unsigned vector, bool has_error, u32 error);
/* Inject an external interrupt now. Returns 0, or -EBUSY: the guest cannot take it yet. */
int vcpu_inject_irq(struct hal_vcpu *v, unsigned vector);
bool vcpu_irq_window(const struct hal_vcpu *v);
/* Inject an NMI now. Returns 0; -EBUSY: the guest handles one, whose IRET exits; -EAGAIN: another event is pending or
 * the guest is in an interrupt shadow (15.21.5): try again, the guest will not exit for it. */
int vcpu_inject_nmi(struct hal_vcpu *v);
/* Set a vCPU's state after RESET / INIT, without MTRRs and others that are the machine model's (amdv/reset.c). */
void vcpu_reset(struct hal_vcpu *v);
void vcpu_init(struct hal_vcpu *v);
/* Start a vCPU by a start-up IPI. */
void vcpu_sipi(struct hal_vcpu *v, u8 vector);
/* Set MSR TSC_AUX, which VMRUN does not switch. */
void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value);
/* Set XCR0 to its value after RESET. By the thread that runs the vCPU, before its first run. */
void vcpu_reset_xcr0(void);
/* Returns the bits of XCR0 that guests may set on this machine. */
u64 vcpu_xcr0_supported(void);
/* Of CPUID's leaf 7 and 0x80000001: hide what guests cannot execute. */
static inline void vcpu_hide_features(u32 *ebx7, u32 *ecx7, u32 *extended) {}

#endif
