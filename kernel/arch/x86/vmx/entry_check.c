/* SPDX-License-Identifier: MIT */
/*
 * entry_check.c - the checked mode: before each entry it asserts rules of the current VMCS that the processor enforces,
 * so that a broken one has a name (Intel SDM vol. 3, 27.2, 27.3.1), rules for isolation (controls that must never be
 * off), and what the rest of vmx/ relies on: that the VMCS says what the vCPU's record says, and that a VPID has one
 * user.
 */
#include <arch/trap.h>
#include <core/cpu.h>
#include "access.h"
#include "core.h"

#define VPIDS_TRACKED 64
#define CR0_PE        1ul
#define CR0_NE        (1ul << 5)
#define CR0_PG        (1ul << 31)
#define CR0_RESERVED  ~0xe005003ful
#define EFER_RESERVED ~0xd01ul
#define RFLAGS_FIXED  0x2ul
#define RFLAGS_VM     (1ul << 17)
#define RFLAGS_NEVER  ~0x3f7fd7ul
#define TYPE_NMI      2u
#define TYPE_HARD     3u
#define TYPE_INT1     5u
#define CODE_LONG     (1u << 13)
#define CODE_BIG      (1u << 14)
#define UNUSABLE      0x10000u
#define EXCEPTIONS    (1u << VEC_DB | 1u << VEC_AC | 1u << VEC_MC)
#define CANONICAL(va) ((u64)((s64)((va) << 7) >> 7) == (va)) /* with five levels of tables, too */

const bool vmx_checked = true;

static struct owner {
    const struct hal_vcpu *v;
    u64 generation;
} owners[4][VPIDS_TRACKED]; /* checked builds run on boards with few cores; VPIDs of further cores are not checked */

struct needed {
    u32 field, on;
};

/* Controls without which a guest reaches what is not its own, or the host does not get its core back. */
static const struct needed controls[] = {
    { VMCS_PIN_CONTROLS, VMX_PIN_INTERRUPT | VMX_PIN_NMI | VMX_PIN_VIRTUAL_NMIS },
    { VMCS_PROC_CONTROLS, VMX_PROC_HLT | VMX_PROC_MWAIT | VMX_PROC_TPR | VMX_PROC_IO | VMX_PROC_MSR_MAP |
                              VMX_PROC_MONITOR | VMX_PROC_SECONDARY },
    { VMCS_PROC2_CONTROLS, VMX_PROC2_EPT | VMX_PROC2_VPID | VMX_PROC2_UNRESTRICTED },
    { VMCS_EXIT_CONTROLS, VMX_EXIT_HOST_64 | VMX_EXIT_PAT_EFER },
    { VMCS_ENTRY_CONTROLS, VMX_ENTRY_PAT_EFER },
    { VMCS_EXCEPTION_BITMAP, EXCEPTIONS },
};

static const char *broken_isolation(const struct hal_vcpu *v)
{
    for (const struct needed *c = controls; c < controls + ARRAY_SIZE(controls); c++)
        if ((vmread(c->field) & c->on) != c->on)
            return "a control that isolation needs is off";
    if (vmread(VMCS_EPT_POINTER) != v->eptp || vmread(VMCS_MSR_BITMAP) != vmx_msr_map ||
        vmread(VMCS_LINK_POINTER) != ~0ul)
        return "a table is not the guest's";
    if ((vmread(VMCS_CR4_MASK) & (CR4_NEVER | CR4_MCE)) != (CR4_NEVER | CR4_MCE) || !(vmread(VMCS_CR0_MASK) & CR0_NE))
        return "a bit of CR0 or CR4 that is ours is the guest's";
    if (vmread(VMCS_ENTRY_MSR_LOADS) | vmread(VMCS_EXIT_MSR_LOADS) | vmread(VMCS_EXIT_MSR_STORES))
        return "a list of MSRs that nobody has made";
    return NULL;
}

static const char *broken_control_registers(void)
{
    u64 cr0 = vmread(VMCS_GUEST_CR0), cr4 = vmread(VMCS_GUEST_CR4), efer = vmread(VMCS_GUEST_EFER);
    bool lma = efer & EFER_LMA, entry = vmread(VMCS_ENTRY_CONTROLS) & VMX_ENTRY_64;
    if (cr0 & CR0_RESERVED || !(cr0 & CR0_NE) || (cr0 & CR0_PG && !(cr0 & CR0_PE)))
        return "CR0 that cannot be";
    if ((cr4 & (CR4_NEVER | CR4_MCE)) != (CR4_VMXE | CR4_MCE))
        return "CR4 that must not be";
    if (efer & EFER_RESERVED || lma != entry || (cr0 & CR0_PG && lma != !!(efer & EFER_LME)))
        return "EFER that does not go with CR0.PG or with the entry's mode";
    if (lma && !(cr0 & CR0_PG && cr4 & CR4_PAE))
        return "long mode without CR0.PG or CR4.PAE";
    return NULL;
}

static const char *broken_place(void)
{
    u64 rip = vmread(VMCS_GUEST_RIP), flags = vmread(VMCS_GUEST_RFLAGS), cs = vmread(VMCS_GUEST_CS_RIGHTS);
    bool lma = vmread(VMCS_GUEST_EFER) & EFER_LMA;
    if (flags & RFLAGS_NEVER || !(flags & RFLAGS_FIXED) || (flags & RFLAGS_VM && lma))
        return "RFLAGS that cannot be";
    if (cs & UNUSABLE || (lma && (cs & (CODE_LONG | CODE_BIG)) == (CODE_LONG | CODE_BIG)))
        return "CS that cannot be";
    if (lma && cs & CODE_LONG ? !CANONICAL(rip) : rip >> 32 != 0)
        return "RIP that cannot be";
    u64 tr = vmread(VMCS_GUEST_TR_RIGHTS);
    if ((tr & 15) != 11 && (lma || (tr & 15) != 3))
        return "TR without a busy TSS";
    return vmread(VMCS_GUEST_ACTIVITY) ? "activity that this kernel does not know" : NULL;
}

/* An event, and what keeps the guest from taking it (27.2.1.3, 27.3.1.5). */
static const char *broken_event(void)
{
    u64 event = vmread(VMCS_ENTRY_EVENT), shadow = vmread(VMCS_GUEST_INTERRUPTIBILITY);
    u32 type = event >> 8 & 7, vector = event & 0xff;
    bool open = vmread(VMCS_GUEST_RFLAGS) & RFLAGS_IF;
    if (shadow & ~(u64)(SHADOW_INSN | SHADOW_NMI) || (shadow & SHADOW_INSN) == SHADOW_INSN ||
        (shadow & SHADOW_STI && !open))
        return "an interrupt shadow that cannot be";
    if (!(event & EVENT_VALID))
        return NULL;
    if (event & 0x7ffff000 || type == 1 || type == 7 || (type == TYPE_NMI && vector != VEC_NMI) ||
        ((type == TYPE_HARD || type > TYPE_INT1) && vector > 31))
        return "an event that is none";
    if (event & EVENT_ERROR && (type != TYPE_HARD || !(vmread(VMCS_GUEST_CR0) & CR0_PE)))
        return "an error code without an exception that has one";
    if (!type && (!open || shadow & SHADOW_INSN))
        return "an interrupt that the guest cannot take";
    return type == TYPE_NMI && shadow & (SHADOW_INSN | SHADOW_NMI) ? "an NMI that the guest cannot take" : NULL;
}

static const char *lying_record(const struct hal_vcpu *v)
{
    if (v->proc != vmread(VMCS_PROC_CONTROLS) || v->threshold != vmread(VMCS_TPR_THRESHOLD))
        return "the record lies: controls or TPR threshold";
    if (v->vpid != vmread(VMCS_VPID) || !v->vpid)
        return "the record lies: VPID";
    return NULL;
}

static const char *shared_vpid(const struct hal_vcpu *v)
{
    const struct cpu *c = this_cpu();
    if (c->id >= ARRAY_SIZE(owners) || v->vpid >= VPIDS_TRACKED)
        return NULL;
    struct owner *o = &owners[c->id][v->vpid];
    if (o->v && o->v != v && o->generation == v->vpid_generation)
        return "two vCPUs share a VPID";
    *o = (struct owner){ v, v->vpid_generation };
    return NULL;
}

const char *vmx_check_entry(const struct hal_vcpu *v)
{
    const char *rule = broken_isolation(v);
    if (!rule)
        rule = broken_control_registers();
    if (!rule)
        rule = broken_place();
    if (!rule)
        rule = broken_event();
    if (!rule)
        rule = lying_record(v);
    return rule ? rule : shared_vpid(v);
}
