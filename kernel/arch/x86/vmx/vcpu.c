/* SPDX-License-Identifier: MIT */
/*
 * vcpu.c - runs a guest with VT-x (Intel SDM vol. 3, chapters 24 to 29). setup.c creates the vCPU, fast.c sees each
 * exit first, exit.c decodes it, event.c chooses the event for the next entry, fields.c reads and writes the VMCS.
 *
 * A vCPU stays on its core, and so does its VMCS. Each core has its own VPIDs; they are assigned in order, and again
 * from the first when they run out. What a VPID or an EPT pointer has cached is forgotten when it is assigned.
 */
#include <arch/cpu.h>
#include "access.h"
#include "core.h"

#define VPIDS 0x10000u

static __cold void take_vpid(struct hal_vcpu *v, struct vmx_core *core)
{
    if (!core->next_vpid || core->next_vpid == VPIDS) {
        core->generation++;
        core->next_vpid = 1;
    }
    v->vpid = core->next_vpid++;
    v->vpid_generation = core->generation;
    v->dirty |= DIRTY_FLUSH;
    vmwrite(VMCS_VPID, v->vpid);
}

static __noinline void write_stars(struct hal_vcpu *v, struct vmx_core *core)
{
    for (unsigned i = 0; i < VMX_STARS; i++)
        wrmsr(MSR_STAR + i, core->star[i] = v->star[i]);
}

/* CR2, and MSRs of system calls, which the last vCPU of this core has left in the registers. */
static inline void switch_registers(struct hal_vcpu *v, struct vmx_core *core)
{
    if (core->last)
        vmx_keep_registers(core->last);
    wrmsr(MSR_KERNEL_GS_BASE, v->kernel_gs);
    write_cr2(v->kept_cr2);
    const u64 *is = core->star, *want = v->star;
    if (unlikely((is[0] ^ want[0]) | (is[1] ^ want[1]) | (is[2] ^ want[2]) | (is[3] ^ want[3])))
        write_stars(v, core);
}

/* Make `v` the core's current vCPU: another one ran on this core, or `v` has never run. */
static void become_current(struct hal_vcpu *v, struct vmx_core *core)
{
    if (unlikely(v->dirty & DIRTY_VMCS)) {
        vmcs_load(v->vmcs, &vmx_capability); /* it cannot fail: the page is good */
        vmx_fill(v);
        v->dirty = (v->dirty & ~DIRTY_VMCS) | DIRTY_RESET;
    } else {
        vmptrld(v->vmcs_pa);
    }
    switch_registers(v, core);
    vmx_switch_tsc_aux(v, core);
    core->last = v;
    if (unlikely(v->vpid_generation != core->generation || !core->generation))
        take_vpid(v, core);
    vmx_switch_debug(v);
}

void vcpu_flush(struct hal_vcpu *v) { v->dirty |= DIRTY_FLUSH; }

/* A processor without RDTSCP and RDPID does not have the MSR, and nobody could read it: the value is dropped. */
void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value)
{
    if (!vmx_capability.tsc_aux)
        return;
    v->tsc_aux = value;
    v->dirty |= DIRTY_TSC_AUX;
}

void vcpu_run(struct hal_vcpu *v, struct vcpu_exit *e)
{
    struct vmx_core *core = vmx_core_of(this_cpu_here());
    if (core->last != v)
        become_current(v, core);
    vmx_store(v, core);
    vmx_arm_if_due(v);
    const char *broken = vmx_checked ? vmx_check_entry(v) : NULL;
    if (unlikely(broken != NULL))
        return vmx_decode_fault(v, e, broken);
    if (unlikely(vmx_run(v)))
        return vmx_decode_fault(v, e, "VM entry failed");
    vmx_load(v);
    vmx_decode(v, e);
    v->exits[e->reason]++;
}

void vcpu_complete(struct hal_vcpu *v, const struct vcpu_exit *e) { vcpu_skip(v, v->length); }

void vcpu_complete_read(struct hal_vcpu *v, const struct vcpu_exit *e, u64 value)
{
    u64 mask = e->size == 2 ? 0xffff : 0xff;
    v->cpu.rax = e->size == 4 ? (u32)value : (v->cpu.rax & ~mask) | (value & mask);
    vcpu_skip(v, v->length);
}
