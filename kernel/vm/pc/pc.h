/* SPDX-License-Identifier: MIT */
/*
 * pc.h - the virtual PC's record of a vCPU: local APIC, CPUID table, KVM's paravirtual interface. Used inside vm/pc
 * only.
 */
#ifndef AMALGAM_VM_PC_PC_H
#define AMALGAM_VM_PC_PC_H

#include <vm/load.h>
#include <vm/vm.h>
#include "emulate.h"
#include <vm/devices.h>

#define LAPIC_BASE 0xfee00000ul

/* LVT entries in the order of their registers, 0x32 to 0x37. */
enum { LVT_TIMER, LVT_THERMAL, LVT_PERF, LVT_LINT0, LVT_LINT1, LVT_ERROR, LVT_COUNT };

/* Bits of vcpu.requests. REQ_WAIT stays set while the vCPU waits for its SIPI. REQ_BACK: kvm_preempted() was called.
 * REQ_INPUT: the virtio console has input. REQ_TIMER, REQ_PIT: a periodic timer has fired and is armed again when the
 * vCPU (PIT: any vCPU) next runs. */
enum {
    REQ_INIT = 0x100,
    REQ_SIPI = 0x200,
    REQ_NMI = 0x400,
    REQ_EXTINT = 0x800,
    REQ_WAIT = 0x1000,
    REQ_BACK = 0x2000,
    REQ_TIMER = 0x4000,
    REQ_PIT = 0x8000,
    REQ_INPUT = 0x10000
};

struct lapic {
    u32 id;     /* never changes; a reset clears the following fields, up to the timer */
    u8 isr_top; /* highest vector in service, 0 none; only for the vCPU's own thread, as `isr` */
    u8 offered; /* vector that the hardware may deliver, 0 none */
    u8 tpr, divide;
    u32 irr_words; /* bit w: irr[w] may be non-zero */
    u32 ldr, dfr, svr, esr, lvt[LVT_COUNT];
    u32 timer_initial;
    u64 base, icr; /* MSR_APIC_BASE; ICR in the format of x2APIC */
    u64 deadline;  /* MSR TSC_DEADLINE; 0: not armed, or another mode */
    u64 expiry;    /* of the timer; 0: not armed */
    u64 period;    /* ticks from the initial count to 0 */
    u32 isr[8];
    u32 irr[8], tmr[8]; /* like irr_words: set by any thread, atomically */
    struct timer timer;
};

struct cpuid_entry {
    u32 eax, ebx, ecx, edx;
};

#define CPUID_BASIC    16
#define CPUID_HYPER    17
#define CPUID_EXTENDED 32

struct kvm_pv {
    u64 msr[5];                  /* values written: wall clock, clock, none, steal time, EOI */
    u8 *eoi_flag;                /* the guest's byte, NULL: off */
    struct kvm_steal_time *area; /* NULL: off */
    bool eoi_set;                /* the flag is set: the guest may end the interrupt by clearing it */
    bool away, slept;
    ticks_t away_since, stolen;
};

struct pc_vcpu {
    struct vcpu vcpu; /* first */
    struct lapic lapic;
    u8 sipi_vector;
    bool window; /* V_IRQ stands for the 8259's interrupt */
    bool calls;  /* SYS_HYPERCALLS, a copy for the fast path */
    struct kvm_pv pv;
    bool told;     /* an undecoded instruction was logged */
    bool unhalted; /* KVM_HC_KICK_CPU: the next HLT returns at once */
    struct cpuid_entry basic[CPUID_BASIC], hyper[CPUID_HYPER], extended[CPUID_EXTENDED];
};

/* A VM with its machine's parts. */
struct pc_vm {
    struct vm vm; /* first */
    struct pc_parts parts;
    char refusal[LOAD_REFUSAL]; /* why its image was refused the last time */
};

static inline struct pc_vcpu *pc_of(struct vcpu *v) { return (struct pc_vcpu *)v; }
static inline struct pc_vcpu *pc_of_hal(struct hal_vcpu *h) { return container_of(h, struct pc_vcpu, vcpu.hal); }

/* pc.c: handle an exit on the fast path, with GIF clear and GS the guest's (hal_vcpu.fast). Returns false for the
 * slow path. */
bool pc_fast(struct hal_vcpu *h, u64 code);
/* pc_life.c: set registers, local APIC and KVM interface to their state after RESET / INIT. By the vCPU's thread, or
 * before it runs. */
void pc_reset_vcpu(struct pc_vcpu *v);
void pc_init_vcpu(struct pc_vcpu *v);

/* lapic.c, lapic_timer.c, lapic_regs.c */
void lapic_create(struct pc_vcpu *v);
/* Set the local APIC to its state after RESET / INIT, which leaves its mode (off, xAPIC, x2APIC) and identifier. After
 * vcpu_init(), which leaves no interrupt offered and a TPR of 0. */
void lapic_reset(struct pc_vcpu *v);
void lapic_init(struct pc_vcpu *v);
/* Set `vector` pending. If it was not, kick the vCPU. Any context. */
void lapic_accept(struct pc_vcpu *v, unsigned vector, bool level);
/* Returns the highest vector that the priorities permit now, 0: none. */
unsigned lapic_deliverable(const struct pc_vcpu *v);
/* Update the APIC after a run: an offered interrupt that was taken, the guest's TPR, the EOI flag. */
void lapic_sync(struct pc_vcpu *v);
/* Offer the highest pending interrupt to the hardware. */
void lapic_offer(struct pc_vcpu *v);
/* Move an offered interrupt that was not taken back into the IRR; the caller withdraws or replaces the offer. After
 * lapic_sync(). */
void lapic_withdraw(struct lapic *a);
/* Handle an EOI on the fast path. Returns false if it needs the slow path (level-triggered). */
bool lapic_fast_eoi(struct pc_vcpu *v);
/* Handle a write of the ICR on the fast path if it addresses this vCPU alone. Returns false for the slow path. */
bool lapic_fast_self(struct pc_vcpu *v, u64 icr);
/* Read or write a register by number (xAPIC offset / 16 = x2APIC MSR - 0x800). Returns false: no such register or
 * value. */
bool lapic_read(struct pc_vcpu *v, unsigned reg, u64 *value);
bool lapic_write(struct pc_vcpu *v, unsigned reg, u64 value);
bool lapic_set_base(struct pc_vcpu *v, u64 value);
/* A write of MSR TSC_DEADLINE, which does nothing unless the timer is in deadline mode. */
void lapic_set_deadline(struct pc_vcpu *v, u64 tsc);
/* REQ_TIMER: the vCPU runs, so arm its periodic timer again. Interrupts must be off. */
void lapic_resume_timer(struct pc_vcpu *v);
static inline bool lapic_x2apic(const struct pc_vcpu *v) { return (v->lapic.base >> 10 & 3) == 3; }
/* Returns whether LINT0 passes the 8259's interrupts to this vCPU. */
bool lapic_takes_extint(const struct pc_vcpu *v);
/* Send an inter-processor interrupt; `icr` is a 64-bit x2APIC ICR value. */
void lapic_send(struct pc_vcpu *v, u64 icr);

/* cpuid.c: prepare the answers; put the one to RAX and RCX into the registers. RIP is
 * advanced; on the slow path vcpu_advanced() follows. */
void cpuid_prepare(struct pc_vcpu *v);
void cpuid_exit(struct pc_vcpu *v);

/* msr.c. Return false: the guest gets #GP. */
bool msr_read(struct pc_vcpu *v, u32 msr, u64 *value);
bool msr_write(struct pc_vcpu *v, u32 msr, u64 value);

/* kvmpv.c */
void kvm_pv_reset(struct pc_vcpu *v);
bool kvm_msr_read(struct pc_vcpu *v, u32 msr, u64 *value);
bool kvm_msr_write(struct pc_vcpu *v, u32 msr, u64 value);
/* Make a KVM hypercall; `nr` is RAX. Returns the result for RAX. */
s64 kvm_hypercall(struct pc_vcpu *v, u64 nr, const u64 arg[4]);
void kvm_preempted(struct pc_vcpu *v);
void kvm_resumed(struct pc_vcpu *v);

/* access.c: device memory and string I/O, by means of the instruction decoder */
void pc_mmio(struct pc_vcpu *v, const struct vcpu_exit *e);
void pc_string_io(struct pc_vcpu *v);
/* Return the linear address of the instruction at RIP. */
u64 code_va(const struct guest_cpu *cpu);
/* Read the instruction's bytes; some processors have fetched them for us. Returns how many; fewer than INSN_MAX mean
 * that the next page is missing. */
unsigned code_bytes(struct pc_vcpu *v, u8 *code);
/* measure.c, on AMD-V: CR8 and instruction lengths. undefined.c, on VT-x: returns whether an undefined
 * instruction is VMMCALL, whose length is then known. */
void pc_write_cr8(struct pc_vcpu *v);
void pc_measure(struct hal_vcpu *h, unsigned length);
bool pc_is_vmmcall(struct pc_vcpu *v);

#endif
