/* SPDX-License-Identifier: MIT */
/*
 * fields.c - a vCPU's record and its VMCS: each exit reads what all exits need; the other registers are read if the
 * exit needs them, and written by groups if something has changed them.
 */
#include <arch/trap.h>
#include <string.h>
#include "access.h"
#include "core.h"
#include "state.h"

#define CR0_NE     (1ul << 5)
#define CR0_CACHES (3ul << 29) /* CD and NW: an entry does not load them (27.3.2.1) */
#define UNUSABLE   0x10000u

/* Bits that the guest believes to have: its own are in the shadow. */
#define CR0_OURS (CR0_NE | CR0_CACHES)

/* --- segments: the attributes of AMD-V are bits 40-47 and 52-55 of a descriptor, the rights those of the upper word
 * --- */

static u32 rights_of(u16 attributes)
{
    return (attributes & 0xff) | (attributes & 0xf00u) << 4 | (attributes & 0x80 ? 0 : UNUSABLE);
}

static u16 attributes_of(u64 rights) { return (u16)((rights & 0xff) | (rights >> 4 & 0xf00)); }

/* Return the record of segment `n` in the VMCS' order: ES, CS, SS, DS, FS, GS, LDTR, TR. */
static struct vmcb_segment *segment(struct hal_vcpu *v, unsigned n)
{
    return n < 6 ? guest_segments(&v->cpu) + n : n == 6 ? &v->cpu.ldtr : &v->cpu.tr;
}

static __cold void store_segments(struct hal_vcpu *v)
{
    for (unsigned n = 0; n < 8; n++) {
        const struct vmcb_segment *s = segment(v, n);
        vmwrite(VMCS_GUEST_ES + 2 * n, s->selector);
        vmwrite(VMCS_GUEST_ES_LIMIT + 2 * n, s->limit);
        vmwrite(VMCS_GUEST_ES_RIGHTS + 2 * n, rights_of(s->attributes));
        vmwrite(VMCS_GUEST_ES_BASE + 2 * n, s->base);
    }
}

/* What CS says of the code, and the bases of those in operands: of code of 64 bits these are FS and GS. */
static void load_segments(struct hal_vcpu *v)
{
    v->cpu.cs.attributes = attributes_of(vmread(VMCS_GUEST_CS_RIGHTS));
    v->cpu.fs.base = vmread(VMCS_GUEST_FS_BASE);
    v->cpu.gs.base = vmread(VMCS_GUEST_GS_BASE);
    if (likely(guest_code_bits(&v->cpu) == 64))
        return;
    for (unsigned n = 0; n < 4; n++)
        guest_segments(&v->cpu)[n].base = vmread(VMCS_GUEST_ES_BASE + 2 * n);
}

/* --- registers --------------------------------------------------------------------------------------------------- */

static __cold void store_control(struct hal_vcpu *v)
{
    const struct guest_cpu *cpu = &v->cpu;
    u32 entry = vmx_control(vmx_capability.msr[VMX_ENTRY], VMX_ENTRY_DEBUG | VMX_ENTRY_PAT_EFER);
    vmwrite(VMCS_GUEST_CR0, (cpu->cr0 & ~CR0_CACHES) | CR0_NE);
    vmwrite(VMCS_CR0_SHADOW, cpu->cr0);
    vmwrite(VMCS_GUEST_CR3, cpu->cr3);
    vmwrite(VMCS_GUEST_CR4, cpu->cr4 | CR4_VMXE | CR4_MCE);
    vmwrite(VMCS_CR4_SHADOW, cpu->cr4);
    vmwrite(VMCS_GUEST_EFER, cpu->efer);
    vmwrite(VMCS_ENTRY_CONTROLS, entry | (cpu->efer & EFER_LMA ? VMX_ENTRY_64 : 0));
}

static __cold void store_tables(struct hal_vcpu *v)
{
    vmwrite(VMCS_GUEST_GDTR_LIMIT, (u16)v->cpu.gdtr.limit);
    vmwrite(VMCS_GUEST_GDTR_BASE, v->cpu.gdtr.base);
    vmwrite(VMCS_GUEST_IDTR_LIMIT, (u16)v->cpu.idtr.limit);
    vmwrite(VMCS_GUEST_IDTR_BASE, v->cpu.idtr.base);
}

static __cold void reset_syscalls(struct hal_vcpu *v, struct vmx_core *core)
{
    for (unsigned i = 0; i < 3; i++)
        vmwrite(i ? VMCS_GUEST_SYSENTER_ESP + 2 * (i - 1) : VMCS_GUEST_SYSENTER_CS, 0);
    for (unsigned i = 0; i < VMX_STARS; i++)
        wrmsr(MSR_STAR + i, core->star[i] = v->star[i] = 0);
    wrmsr(MSR_KERNEL_GS_BASE, v->kernel_gs = 0);
}

/* The vCPU was reset: no event is left, and its debug registers have the values of a reset, for which their next use
 * exits. Until now another vCPU may have taken the registers, and kept in `v` what the life before had there. */
static __cold void reset_events(struct hal_vcpu *v, struct vmx_core *core)
{
    if (core->debug_owner == v)
        core->debug_owner = NULL;
    memset(v->dr, 0, sizeof(v->dr));
    v->dr6 = v->cpu.dr6;
    vmwrite(VMCS_GUEST_DR7, v->cpu.dr7);
    vmwrite(VMCS_GUEST_PENDING_DEBUG, 0);
    vmwrite(VMCS_ENTRY_EVENT, 0); /* only an exit clears it: an entry that failed has left it */
    vmx_switch_debug(v);
}

/* A dirty group is written from the record, which a reset has filled. */
static __cold __noinline void store_dirty(struct hal_vcpu *v, struct vmx_core *core)
{
    u32 dirty = v->dirty;
    v->dirty = 0;
    if (dirty == DIRTY_OFFER)
        return;
    if (dirty & CLEAN_CR)
        store_control(v);
    if (dirty & CLEAN_SEG) {
        store_segments(v);
        v->seen_rip = ~v->cpu.rip;
        v->seen_rflags = ~v->cpu.rflags;
        v->seen_rsp = ~v->cpu.rsp; /* equal where an exit has not read it */
        v->seen_shadow = ~v->shadow;
    }
    if (dirty & CLEAN_DT)
        store_tables(v);
    if (dirty & CLEAN_NP)
        vmwrite(VMCS_GUEST_PAT, v->cpu.pat);
    if (dirty & CLEAN_DR)
        reset_events(v, core);
    if (dirty & CLEAN_CR2)
        write_cr2(v->cpu.cr2);
    if (dirty & DIRTY_SYSCALLS)
        reset_syscalls(v, core);
    if (dirty & DIRTY_TSC_AUX)
        vmx_switch_tsc_aux(v, core);
    if (dirty & DIRTY_FLUSH) {
        invept(v->eptp);
        invvpid(v->vpid);
    }
    if (dirty & DIRTY_TRAP) {
        vmx_take_debug(v);
        write_dr6(read_dr6() | DR6_BS);
        vcpu_inject_exception(v, VEC_DB, false, 0);
    }
}

void vmx_store(struct hal_vcpu *v, struct vmx_core *core)
{
    if (unlikely(v->dirty))
        store_dirty(v, core);
    if (v->cpu.rip != v->seen_rip)
        vmwrite(VMCS_GUEST_RIP, v->cpu.rip);
    if (unlikely(v->cpu.rflags != v->seen_rflags))
        vmwrite(VMCS_GUEST_RFLAGS, v->cpu.rflags);
    if (unlikely(v->shadow != v->seen_shadow))
        vmwrite(VMCS_GUEST_INTERRUPTIBILITY, v->shadow);
    if (unlikely(v->cpu.rsp != v->seen_rsp)) /* which the next exit may not read */
        vmwrite(VMCS_GUEST_RSP, v->seen_rsp = v->cpu.rsp);
}

void vmx_load(struct hal_vcpu *v)
{
    u64 rip = v->cpu.rip = v->seen_rip = vmread(VMCS_GUEST_RIP);
    v->cpu.rflags = v->seen_rflags = vmread(VMCS_GUEST_RFLAGS);
    v->shadow = v->seen_shadow = (u32)vmread(VMCS_GUEST_INTERRUPTIBILITY);
    u64 length = vmread(VMCS_EXIT_LENGTH), next = rip + length;
    v->length = (u32)length;
    v->next_rip = next;
    if (unlikely((u16)next < (u16)rip)) { /* it may wrap */
        vmx_load_operands(v);
        v->next_rip = guest_wrap(&v->cpu, next);
    }
    u64 event = vmread(VMCS_VECTORING_EVENT);
    if (unlikely(event & EVENT_VALID))
        vmx_reinject(v, event);
}

void vmx_load_operands(struct hal_vcpu *v)
{
    vmx_load_cpl(v);
    v->cpu.cr0 = (vmread(VMCS_GUEST_CR0) & ~CR0_OURS) | (v->cpu.cr0 & CR0_OURS); /* the shadow's, as of CR4 */
    v->cpu.cr3 = vmread(VMCS_GUEST_CR3);
    vmx_load_cr4(v);
    v->cpu.efer = vmread(VMCS_GUEST_EFER);
    v->cpu.rsp = v->seen_rsp = vmread(VMCS_GUEST_RSP);
    load_segments(v);
}

__cold void vmx_load_whole(struct hal_vcpu *v)
{
    vmx_load_operands(v);
    v->cpu.cs.selector = (u16)vmread(VMCS_GUEST_CS);
    v->cpu.cr2 = read_cr2();
}

/* --- a new VMCS -------------------------------------------------------------------------------------------------- */

struct value {
    u32 field;
    u64 value;
};

static __cold void write_all(const struct value *v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        vmwrite(v[i].field, v[i].value);
}

/* What Linux asks of a processor as soon as it sees it, if there is a control for it. */
static __cold u32 secondary(void)
{
    u32 want = VMX_PROC2_EPT | VMX_PROC2_VPID | VMX_PROC2_UNRESTRICTED;
    u32 wish = VMX_PROC2_RDTSCP | VMX_PROC2_INVPCID | VMX_PROC2_WBINVD | VMX_PROC2_PAUSE_LOOP;
    return vmx_control(vmx_capability.msr[VMX_PROC2], want | (wish & vmx_capability.msr[VMX_PROC2] >> 32));
}

__cold void vmx_fill(struct hal_vcpu *v)
{
    const u64 *msr = vmx_capability.msr;
    v->proc = vmx_control(msr[VMX_PROC], VMX_PROC_HLT | VMX_PROC_MWAIT | VMX_PROC_RDPMC | VMX_PROC_TPR | VMX_PROC_DR |
                                             VMX_PROC_IO | VMX_PROC_MSR_MAP | VMX_PROC_MONITOR | VMX_PROC_SECONDARY);
    v->threshold = 0;
    v->host_rsp = 0;
    const struct value values[] = {
        { VMCS_PIN_CONTROLS, vmx_control(msr[VMX_PIN], VMX_PIN_INTERRUPT | VMX_PIN_NMI | VMX_PIN_VIRTUAL_NMIS) },
        { VMCS_PROC_CONTROLS, v->proc },
        { VMCS_PROC2_CONTROLS, secondary() },
        { VMCS_EXIT_CONTROLS, vmx_control(msr[VMX_EXIT], VMX_EXIT_DEBUG | VMX_EXIT_HOST_64 | VMX_EXIT_PAT_EFER) },
        { VMCS_EXCEPTION_BITMAP, 1u << VEC_DB | 1u << VEC_UD | 1u << VEC_AC | 1u << VEC_MC },
        { VMCS_MSR_BITMAP, vmx_msr_map },
        { VMCS_VIRTUAL_APIC, virt_to_phys(v->apic) },
        { VMCS_EPT_POINTER, v->eptp },
        { VMCS_LINK_POINTER, ~0ul },
        { VMCS_CR0_MASK, CR0_OURS },
        { VMCS_CR4_MASK, CR4_OURS },
        { VMCS_HOST_RIP, (u64)vmx_left },
    };
    vmcs_zero();
    vmcs_set_host();
    write_all(values, ARRAY_SIZE(values));
    if (vmx_capability.msr[VMX_PROC2] >> 32 & VMX_PROC2_PAUSE_LOOP) { /* KVM's values */
        vmwrite(VMCS_PAUSE_GAP, 128);
        vmwrite(VMCS_PAUSE_WINDOW, 4096);
    }
}
