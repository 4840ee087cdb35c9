/* SPDX-License-Identifier: MIT */
/*
 * arch/vcpu.h (x86, 64 bits, VT-x) - a virtual CPU: its registers, its VMCS, and the functions for the machine model
 * (vm/pc) between runs.
 *
 * The VMCS is only reached on the core that has it, in vcpu_run(), with interrupts off. Between runs all is in this
 * record: registers by vcpu_gpr() and vcpu_cpu(), and what the hardware said of the exit. What changes is written to
 * the VMCS at the next entry: RIP, RFLAGS and RSP if they differ from what was read, all else by its group
 * (vcpu_dirty(), vmx/fields.c).
 */
#ifndef AMALGAM_ARCH_VCPU_H
#define AMALGAM_ARCH_VCPU_H

#include <arch/guest_cpu.h>
#include <arch/vmcs.h>
#include <arch/vmx.h>
#include <hal/vcpu.h>

/* Groups beside CLEAN_* (arch/amdv.h) whose fields differ from the VMCS. */
#define DIRTY_OFFER    (1u << 16) /* the offered interrupt */
#define DIRTY_FLUSH    (1u << 17) /* translations are stale */
#define DIRTY_SYSCALLS (1u << 18) /* MSRs of system calls have been reset */
#define DIRTY_TRAP     (1u << 19) /* a single-step trap follows the instruction */
#define DIRTY_VMCS     (1u << 20) /* nothing was written yet */
#define DIRTY_CHECKED  (1u << 21) /* nothing, but the next entry is to be checked (CONFIG_VMX_CHECKED) */
#define DIRTY_TSC_AUX  (1u << 22)
#define DIRTY_RESET    (CLEAN_ALL | DIRTY_FLUSH | DIRTY_TSC_AUX)

/* MSRs whose reads do not exit but whose writes do: STAR, LSTAR, CSTAR, SYSCALL_MASK, in the order of their numbers. */
#define VMX_STARS 4

struct hal_vcpu {
    u64 regs[16];         /* RAX and RSP are in `cpu`; vmx/entry.S knows this field and the next three */
    struct guest_cpu cpu; /* RAX is its first field */
    u64 host_rsp;         /* what the VMCS has */
    u64 fast_exits;
    u64 inject;   /* event for the next entry: the VMCS' format, an error code in the upper half */
    u64 next_rip; /* behind the instruction that exited */
    u64 seen_rip, seen_rflags, seen_rsp;
    u32 reason, length;          /* of the exit, and of its instruction */
    u64 qualification, physical; /* of the exit */
    u32 dirty;
    u32 shadow, seen_shadow; /* interruptibility: SHADOW_* */
    u32 proc, threshold;     /* what the VMCS has: processor-based controls, TPR threshold */
    u32 vpid;
    u32 tsc_aux;
    union {
        struct {
            u8 offered;      /* external interrupt, 0: none */
            bool window;     /* a window for an interrupt whose vector is not known */
            bool nmi_window; /* ... for an NMI */
            bool armed;      /* the VMCS says one of these already */
        };
        u32 awaited; /* all of them */
    };
    u64 dr[4], dr6; /* while they are not in the registers */
    u64 star[VMX_STARS], kernel_gs;
    u64 kept_cr2;        /* from when another vCPU or a program got the core */
    u64 vpid_generation; /* the core's when the VPID was assigned; if they differ a new one is needed */
    u8 *apic;            /* the virtual-APIC page, of which the TPR is used */
    void *vmcs;
    paddr_t vmcs_pa, eptp;
    /* The machine model's part of the fast path, with the host's state in place. Returns true if the exit was handled
     * and RIP advanced (vcpu_advance()). */
    bool (*fast)(struct hal_vcpu *v, u64 code);
    u64 fast_call; /* RAX of the only hypercall that it handles */
    u64 exits[VCPU_EXIT_REASONS];
};

_Static_assert(offsetof(struct hal_vcpu, cpu) == 128 && !offsetof(struct guest_cpu, rax) &&
                   offsetof(struct hal_vcpu, host_rsp) == 128 + sizeof(struct guest_cpu) &&
                   offsetof(struct hal_vcpu, fast_exits) == offsetof(struct hal_vcpu, host_rsp) + 8 &&
                   offsetof(struct hal_vcpu, next_rip) == 416 && offsetof(struct hal_vcpu, dirty) == 472 &&
                   sizeof(struct guest_cpu) == 264,
               "vmx/entry.S");

/* Interruptibility (25.4.2) */
#define SHADOW_STI  1u
#define SHADOW_SS   2u
#define SHADOW_NMI  8u
#define SHADOW_INSN (SHADOW_STI | SHADOW_SS) /* ends with the next instruction */
#define VIRTUAL_TPR 0x80                     /* in the virtual-APIC page */
#define TRACED      (RFLAGS_TF | RFLAGS_RF)

static inline struct guest_cpu *vcpu_cpu(const struct hal_vcpu *v) { return (struct guest_cpu *)&v->cpu; }

static inline u64 *vcpu_gpr(struct hal_vcpu *v, unsigned n)
{
    return n == RAX ? &v->cpu.rax : n == RSP ? &v->cpu.rsp : &v->regs[n];
}

/* Between delivery of an NMI and its IRET; before its delivery it is due itself (vcpu_event_due()). */
static inline bool vcpu_nmi_masked(const struct hal_vcpu *v) { return v->shadow & SHADOW_NMI; }

/* Registers of this group (CLEAN_*) were changed. */
static inline void vcpu_dirty(struct hal_vcpu *v, u32 group) { v->dirty |= group; }

/* Raw exit codes that the machine model handles: on the fast path, and of VCPU_EXIT_OTHER (SDM vol. 3, appendix C). */
enum vcpu_raw {
    RAW_HYPERCALL = VMX_EXIT_VMCALL,
    RAW_CPUID = VMX_EXIT_CPUID,
    RAW_STRING_IO = VMX_EXIT_IO,
    RAW_PAUSE = VMX_EXIT_PAUSE,
};
#define vcpu_raw_is_msr(code) ((code)-VMX_EXIT_RDMSR <= VMX_EXIT_WRMSR - VMX_EXIT_RDMSR) /* in line: it is counted */
/* Returns whether the exit was a write of CR8, which does not exit / a #UD that may be a hypercall in another maker's
 * encoding. */
static inline bool vcpu_raw_is_cr8(u64 code) { return false; }
static inline bool vcpu_raw_is_undefined(u64 code) { return code == VMX_EXIT_EXCEPTION; }

#define VCPU_EFER_OWN   0ul
#define VCPU_EFER_GUEST (EFER_SCE | EFER_LME | EFER_NXE)
/* MISC_ENABLE: fast string instructions. Linux reads it before it has an IDT. */
#define VCPU_MSR_CONSTANTS { 0x1a0, 0, true, 1 },

/* --- what the hardware said of an exit --------------------------------------------------------------- */

static inline bool vcpu_msr_written(const struct hal_vcpu *v) { return v->reason == VMX_EXIT_WRMSR; }
static inline u16 vcpu_io_port(const struct hal_vcpu *v) { return (u16)(v->qualification >> 16); }
/* Of an access without RAM: it was one of the walk through the guest's page tables; it was a fetch of code. */
static inline bool vcpu_missed_table(const struct hal_vcpu *v)
{
    return (v->qualification & (EPT_LINEAR | EPT_FINAL)) != (EPT_LINEAR | EPT_FINAL);
}
static inline bool vcpu_missed_code(const struct hal_vcpu *v) { return v->qualification & EPT_FETCHED; }
static inline unsigned vcpu_fetched(const struct hal_vcpu *v, const u8 **bytes) { return 0; }
/* Return the exit's reason (with the instruction's length above it), its qualification and its physical address, for a
 * report. */
static inline const u64 *vcpu_raw_exit(const struct hal_vcpu *v) { return (const u64 *)&v->reason; }
_Static_assert(offsetof(struct hal_vcpu, physical) == offsetof(struct hal_vcpu, reason) + 16, "three in a row");

/* --- stepping over an instruction ---------------------------------------------------------------------- */

static inline void vcpu_measure_by(struct hal_vcpu *v, void (*measure)(struct hal_vcpu *v, unsigned length)) {}
/* hal_vcpu.fast handles the hypercall with this number in RAX, and no other. */
static inline void vcpu_fast_call(struct hal_vcpu *v, u64 number) { v->fast_call = number; }
/* Say the length of an instruction that caused an exception. */
static inline void vcpu_set_length(struct hal_vcpu *v, unsigned length)
{
    v->next_rip = guest_wrap(&v->cpu, v->cpu.rip + length);
}
/* Step over the instruction that exited; the hardware has said its length. vcpu_trap() follows. */
static inline void vcpu_step(struct hal_vcpu *v, unsigned length)
{
    v->cpu.rip = v->next_rip;
    v->shadow &= ~SHADOW_INSN;
}
/* The same where the fast path comes by, too, or alone: it moves RIP itself, and is for code without TRACED and shadow
 * (vmx/fast.c). */
static inline void vcpu_advance(struct hal_vcpu *v, unsigned length) {}
static inline void vcpu_step_fast(struct hal_vcpu *v, unsigned length) {}
static inline void vcpu_trap(struct hal_vcpu *v)
{
    if (likely(!(v->cpu.rflags & TRACED)))
        return;
    v->cpu.rflags &= ~RFLAGS_RF;
    if (v->cpu.rflags & RFLAGS_TF)
        v->dirty |= DIRTY_TRAP;
}
/* Finish vcpu_advance() on the slow path. */
static inline void vcpu_advanced(struct hal_vcpu *v)
{
    vcpu_step(v, 0);
    vcpu_trap(v);
}
void vcpu_skip(struct hal_vcpu *v, unsigned length);
/* Retire an instruction that was executed for the guest, which the one at `rip` follows. */
static inline void vcpu_retire(struct hal_vcpu *v, u64 rip)
{
    v->cpu.rip = rip;
    v->shadow &= ~SHADOW_INSN;
    vcpu_trap(v);
}

/* --- interrupts and exceptions: as arch/vcpu.h of AMD-V says --------------------------------------------- */

static inline u32 vcpu_tpr(const struct hal_vcpu *v) { return v->apic[VIRTUAL_TPR] & 0xf0; }
static inline void vcpu_set_tpr(struct hal_vcpu *v, u32 tpr)
{
    v->apic[VIRTUAL_TPR] = tpr & 0xf0;
    v->dirty |= DIRTY_OFFER;
}

/* The guest takes it when RFLAGS.IF and its TPR permit: at the next entry, or after an exit by a window or a lower TPR
 * (vmx/event.c). */
static inline void vcpu_offer_irq(struct hal_vcpu *v, unsigned vector)
{
    if (v->offered == vector)
        return;
    v->offered = (u8)vector;
    v->dirty |= DIRTY_OFFER;
}
static inline void vcpu_withdraw_irq(struct hal_vcpu *v)
{
    if (v->offered)
        v->dirty |= DIRTY_OFFER;
    v->offered = 0;
}
static inline bool vcpu_irq_offered(const struct hal_vcpu *v) { return v->offered; }
/* A single-step trap becomes one at the entry. */
static inline bool vcpu_event_due(const struct hal_vcpu *v) { return v->inject & EVENT_VALID || v->dirty & DIRTY_TRAP; }

void vcpu_request_window(struct hal_vcpu *v);
void vcpu_cancel_window(struct hal_vcpu *v);
void vcpu_inject_exception(struct hal_vcpu *v, unsigned vector, bool has_error, u32 error);
int vcpu_inject_irq(struct hal_vcpu *v, unsigned vector);
bool vcpu_irq_window(const struct hal_vcpu *v);
int vcpu_inject_nmi(struct hal_vcpu *v);
void vcpu_reset(struct hal_vcpu *v);
void vcpu_init(struct hal_vcpu *v);
void vcpu_sipi(struct hal_vcpu *v, u8 vector);
void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value);
void vcpu_reset_xcr0(void);
u64 vcpu_xcr0_supported(void);
/* Of CPUID's leaf 7 and 0x80000001: hide what guests cannot execute. */
void vcpu_hide_features(u32 *ebx7, u32 *ecx7, u32 *extended);

#endif
