/* SPDX-License-Identifier: MIT */
/* core.h - what a core has of its guests, and functions of vmx/ that others of it call on the vCPU's own core with
 * interrupts off. */
#ifndef AMALGAM_ARCH_X86_VMX_CORE_H
#define AMALGAM_ARCH_X86_VMX_CORE_H

#include <arch/cpu.h>
#include <arch/vcpu.h>
#include <core/cpu.h>

#include "access.h"

/* It lies in arch_cpu.host_area[1]; [0] is the VMXON region. */
struct vmx_core {
    struct hal_vcpu *last;        /* its VMCS is the current one, its KERNEL_GS_BASE and CR2 are in the registers */
    struct hal_vcpu *debug_owner; /* DR0-3 and DR6 are this one's */
    u64 generation;               /* of VPIDs; 64 bits never come round */
    u32 next_vpid;                /* of this generation */
    u32 tsc_aux;                  /* what the MSRs hold */
    u64 star[VMX_STARS];
};
_Static_assert(sizeof(struct vmx_core) <= PAGE_SIZE, "its place");

static inline struct vmx_core *vmx_core_of(struct cpu *c) { return (struct vmx_core *)c->arch.host_area[1]; }

/* Bits of CR4 that a guest must not set: all but those from VME to OSXMMEXCPT, UMIP, LA57, FSGSBASE, PCIDE, OSXSAVE,
 * SMEP, SMAP, PKE. */
#define CR4_NEVER ~0x771ffful
/* Bits that the guest believes to have: its own are in the shadow. MCE stays set: a machine check while it is clear
 * stops the machine (6.15, interrupt 18), and a guest may be able to cause one. */
#define CR4_OURS (CR4_NEVER | CR4_MCE)

#define MSR_STAR           0xc0000081u
#define MSR_KERNEL_GS_BASE 0xc0000102u

/* check.c. Find out at boot whether VT-x can be used, and say so, or what is missing. */
void vmx_check(void);
extern struct vmx_capability vmx_capability; /* of the boot core; all are alike */
extern bool vmx_usable;                      /* it has what guests need */
extern paddr_t vmx_msr_map;                  /* operation.c: setup.c's map of MSRs, of all guests; 0: not made yet */

/* Keep what only its registers have of `v`, which was the core's last. Another core may be resetting `v` meanwhile, so
 * the record's CR2 stays as it is: if it is dirty it is newer, and the next entry writes it. */
static inline void vmx_keep_registers(struct hal_vcpu *v)
{
    v->kernel_gs = rdmsr(MSR_KERNEL_GS_BASE);
    v->kept_cr2 = read_cr2();
}

static inline void vmx_switch_tsc_aux(struct hal_vcpu *v, struct vmx_core *core)
{
    if (core->tsc_aux != v->tsc_aux)
        wrmsr(MSR_TSC_AUX, core->tsc_aux = v->tsc_aux);
}

/* fields.c. Write what is dirty to the VMCS, which is current. */
void vmx_store(struct hal_vcpu *v, struct vmx_core *core);
/* Read what each exit needs: RIP, RFLAGS, interruptibility, the length; event whose delivery it interrupted. */
void vmx_load(struct hal_vcpu *v);
/* Read what handling an instruction takes, too: RSP, CPL, control registers, the bases of segments that count, and what
 * CS says of the code; all other registers of the record, too. */
void vmx_load_operands(struct hal_vcpu *v);
void vmx_load_whole(struct hal_vcpu *v);

/* Read CPL. */
static inline void vmx_load_cpl(struct hal_vcpu *v) { v->cpu.cpl = vmread(VMCS_GUEST_SS_RIGHTS) >> 5 & 3; }

/* Read CR4, as the guest believes it to be: only the kernel writes a shadow, so the record has its bits. */
static inline void vmx_load_cr4(struct hal_vcpu *v)
{
    v->cpu.cr4 = (vmread(VMCS_GUEST_CR4) & ~CR4_OURS) | (v->cpu.cr4 & CR4_MCE);
}

/* Write what never changes to a VMCS that was cleared. */
void vmx_fill(struct hal_vcpu *v);

/* event.c. Choose the event for the next entry, and the exits by which the guest says that it can take the next. */
void vmx_arm(struct hal_vcpu *v);
static inline void vmx_arm_if_due(struct hal_vcpu *v)
{
    if (unlikely(v->awaited | v->inject | (v->shadow & SHADOW_INSN)))
        vmx_arm(v);
}
/* The same on the fast path, whose exits leave no shadow and no event. */
void vmx_arm_fast(struct hal_vcpu *v);
/* The delivery of `event` was interrupted by the exit: inject it again. */
void vmx_reinject(struct hal_vcpu *v, u64 event);

/* debug.c. Let the debug registers be `v`'s, whose accesses to them do not exit until another takes them. */
void vmx_take_debug(struct hal_vcpu *v);
/* A vCPU has become current: its breakpoints must hit. */
void vmx_switch_debug(struct hal_vcpu *v);
/* A #DB has exited, for reasons in the format of DR6: give it to the guest. */
void vmx_debug_exception(struct hal_vcpu *v, u64 reasons, u64 event);

/* exit.c */
void vmx_decode(struct hal_vcpu *v, struct vcpu_exit *e);
/* The guest ends for `why`, with all registers in its record for the report. Its VMCS is current. */
void vmx_decode_fault(struct hal_vcpu *v, struct vcpu_exit *e, const char *why);

/* entry_check.c, or entry_nocheck.c: whether each entry is checked, and the rule that an entry of `v`, whose VMCS is
 * current and written, would break; NULL: none. */
extern const bool vmx_checked;
const char *vmx_check_entry(const struct hal_vcpu *v);

/* entry.S: where a guest exits to (vmx_run()). */
void vmx_left(void);
/* fast.c. Resolve an exit; called right after it. Returns true if the guest can go on at v->next_rip, which the caller
 * writes to the VMCS, and, where something is dirty then, vmx_fast_dirty() says so, too. */
bool vmx_fast(struct hal_vcpu *v);
bool vmx_fast_dirty(struct hal_vcpu *v);

#endif
