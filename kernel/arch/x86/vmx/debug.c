/* SPDX-License-Identifier: MIT */
/*
 * debug.c - keeps DR0-3 and DR6 of guests apart, which VT-x does not switch.
 *
 * A vCPU's values stay in the registers until another vCPU of this core accesses a debug register, which exits, or has
 * active breakpoints. The VMCS has DR7.
 */
#include <arch/trap.h>
#include "access.h"
#include "core.h"

#define DR6_TRAPS 0xful
#define DR6_BD    (1ul << 13)
#define DR7_ON    0xffu
#define DR7_GD    (1ul << 13)

static void intercept(struct hal_vcpu *v, bool on)
{
    u32 proc = on ? v->proc | VMX_PROC_DR : v->proc & ~VMX_PROC_DR;
    if (proc != v->proc)
        vmwrite(VMCS_PROC_CONTROLS, v->proc = proc);
}

/* The old owner's VMCS is not current: vmx_switch_debug() tells it. */
__cold void vmx_take_debug(struct hal_vcpu *v)
{
    struct vmx_core *core = vmx_core_of(this_cpu());
    struct hal_vcpu *old = core->debug_owner;
    if (old == v)
        return;
    if (old) {
        read_dr0_3(old->dr);
        old->dr6 = read_dr6();
    }
    write_dr0_3(v->dr);
    write_dr6(v->dr6);
    core->debug_owner = v;
    intercept(v, false);
}

void vmx_switch_debug(struct hal_vcpu *v)
{
    if (vmx_core_of(this_cpu())->debug_owner == v)
        return;
    intercept(v, true);
    if (vmread(VMCS_GUEST_DR7) & DR7_ON)
        vmx_take_debug(v);
}

/* The processor has changed neither DR6 nor DR7 (28.2.1). */
__cold void vmx_debug_exception(struct hal_vcpu *v, u64 reasons, u64 event)
{
    vmx_take_debug(v);
    write_dr6((read_dr6() & ~DR6_TRAPS) | (reasons & (DR6_TRAPS | DR6_BD | DR6_BS)));
    if (reasons & DR6_BD)
        vmwrite(VMCS_GUEST_DR7, vmread(VMCS_GUEST_DR7) & ~DR7_GD);
    if (!(v->inject & EVENT_VALID))
        v->inject = (u32)event & ~(1u << 12);
}
