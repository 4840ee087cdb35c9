/* SPDX-License-Identifier: MIT */
/*
 * pc.h - what the virtual PC keeps for each vCPU beside its registers: local APIC,
 * CPUID table, the KVM paravirtual interface.  Used inside vm/pc only.
 */
#ifndef AMALGAM_VM_PC_PC_H
#define AMALGAM_VM_PC_PC_H

#include <vm/vm.h>
#include "emulate.h"
#include "pc_parts.h"

#define LAPIC_BASE 0xfee00000ul

/* LVT entries in the order of their registers, 0x32 to 0x37. */
enum { LVT_TIMER, LVT_THERMAL, LVT_PERF, LVT_LINT0, LVT_LINT1, LVT_ERROR, LVT_COUNT };

/* Bits of vcpu.requests. REQ_WAIT stays while the vCPU waits for its SIPI; REQ_BACK: kvm_away() was called;
 * REQ_INPUT: the virtio console has some. REQ_TIMER, REQ_PIT: a periodic timer fired and waits for the vCPU (any vCPU)
 * to come before it is armed again. */
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
    u32 id;     /* for good; a reset clears what follows, up to the timer */
    u8 isr_top; /* highest vector in service, 0 none; with `isr` the vCPU's own thread only */
    u8 offered; /* vector that the hardware may deliver, 0 none */
    u8 tpr, divide;
    u32 irr_words; /* bit w: irr[w] may be non-zero */
    u32 ldr, dfr, svr, esr, lvt[LVT_COUNT];
    u32 timer_initial;
    u64 base, icr; /* MSR_APIC_BASE; ICR in the format of x2APIC */
    u64 deadline;  /* TSC; 0: not armed */
    u64 period;    /* ticks; 0: not periodic */
    u32 isr[8];
    u32 irr[8], tmr[8]; /* with irr_words: set by anybody, atomically */
    struct timer timer;
};

struct cpuid_entry {
    u32 eax, ebx, ecx, edx;
};

#define CPUID_BASIC    16
#define CPUID_HYPER    17
#define CPUID_EXTENDED 32

struct kvm_pv {
    u64 msr[5];                  /* as written: wall clock, clock, none, steal time, EOI */
    u8 *eoi_flag;                /* the guest's byte, NULL: off */
    struct kvm_steal_time *area; /* NULL: off */
    bool eoi_set;                /* we left the flag set: the guest may end the interrupt by clearing it */
    bool away, slept;
    ticks_t away_since, stolen;
};

struct pc_vcpu {
    struct vcpu vcpu; /* first */
    struct lapic lapic;
    u8 sipi_vector;
    bool window; /* V_IRQ stands for the 8259's interrupt */
    bool calls;  /* SYS_HYPERCALLS, near for the fast path */
    struct kvm_pv pv;
    bool told;     /* once is enough for the log */
    bool unhalted; /* KVM_HC_KICK_CPU came: the next HLT returns at once */
    struct cpuid_entry basic[CPUID_BASIC], hyper[CPUID_HYPER], extended[CPUID_EXTENDED];
};

/* A VM, with its machine's parts. */
struct pc_vm {
    struct vm vm; /* first */
    struct pc_parts parts;
};

static inline struct pc_vcpu *pc_of(struct vcpu *v) { return (struct pc_vcpu *)v; }
static inline struct pc_vcpu *pc_of_hal(struct hal_vcpu *h) { return container_of(h, struct pc_vcpu, vcpu.hal); }

/* pc.c: settle an exit with GIF clear and GS the guest's (hal_vcpu.fast); false: the slow path. */
bool pc_fast(struct hal_vcpu *h, u64 code);
/* pc_life.c: registers, local APIC and KVM interface as after RESET or INIT. By the vCPU's thread, or before it runs.
 */
void pc_reset_vcpu(struct pc_vcpu *v);

/* lapic.c, lapic_timer.c, lapic_regs.c */
void lapic_init(struct pc_vcpu *v);
/* After vcpu_reset(), which leaves nothing offered and a TPR of 0. */
void lapic_reset(struct pc_vcpu *v);
/* Latch `vector` and make the vCPU look. Any context. */
void lapic_accept(struct pc_vcpu *v, unsigned vector, bool level);
/* Highest vector that the priorities let through now, 0 none. */
unsigned lapic_deliverable(const struct pc_vcpu *v);
/* Book what the hardware delivered and the guest did to TPR and the EOI flag since the last entry. */
void lapic_left(struct pc_vcpu *v);
/* Offer what is due. */
void lapic_enter(struct pc_vcpu *v);
/* Put what is offered and not taken back into the IRR; the caller withdraws or replaces the offer. After lapic_left().
 */
void lapic_take_back(struct lapic *a);
/* End of interrupt from the fast path; false: needs the slow one (level-triggered). */
bool lapic_fast_eoi(struct pc_vcpu *v);
/* An interrupt command from the fast path, if it is for this vCPU alone; false: needs the slow one. */
bool lapic_fast_self(struct pc_vcpu *v, u64 icr);
/* Registers by number (xAPIC offset / 16 = x2APIC MSR - 0x800); false: no such register or value. */
bool lapic_read(struct pc_vcpu *v, unsigned reg, u64 *value);
bool lapic_write(struct pc_vcpu *v, unsigned reg, u64 value);
bool lapic_set_base(struct pc_vcpu *v, u64 value);
void lapic_set_deadline(struct pc_vcpu *v, u64 tsc);
/* REQ_TIMER: the vCPU has its core, so its periodic timer may go on. Interrupts off. */
void lapic_resume_timer(struct pc_vcpu *v);
static inline bool lapic_x2apic(const struct pc_vcpu *v) { return (v->lapic.base >> 10 & 3) == 3; }
/* LINT0 passes the 8259's interrupts to this vCPU. */
bool lapic_takes_extint(const struct pc_vcpu *v);
/* An inter-processor interrupt as a 64-bit x2APIC ICR value. */
void lapic_send(struct pc_vcpu *v, u64 icr);

/* cpuid.c */
void cpuid_prepare(struct pc_vcpu *v);
void cpuid_exit(struct pc_vcpu *v);

/* msr.c: false: #GP */
bool msr_read(struct pc_vcpu *v, u32 msr, u64 *value);
bool msr_write(struct pc_vcpu *v, u32 msr, u64 value);

/* kvmpv.c */
void kvm_pv_reset(struct pc_vcpu *v);
bool kvm_msr_read(struct pc_vcpu *v, u32 msr, u64 *value);
bool kvm_msr_write(struct pc_vcpu *v, u32 msr, u64 value);
/* KVM's hypercall numbers in RAX; the result for RAX. */
s64 kvm_hypercall(struct pc_vcpu *v, u64 nr, const u64 arg[4]);
void kvm_away(struct pc_vcpu *v);
void kvm_back(struct pc_vcpu *v);

/* access.c: device memory, string I/O, CR8 and lengths, through the instruction decoder */
void pc_mmio(struct pc_vcpu *v, const struct vcpu_exit *e);
void pc_string_io(struct pc_vcpu *v);
void pc_write_cr8(struct pc_vcpu *v);
void pc_measure(struct hal_vcpu *h, unsigned length);

#endif
