/* SPDX-License-Identifier: MIT */
/*
 * check.c - says at boot whether this processor's VT-x has what guests need, after it was tried: VMX operation is
 * entered with a VMCS, each field of the table (arch/vmcs.h) is read and written, and a small guest runs (trial.c).
 */
#include <arch/cpu.h>
#include <arch/vmcs.h>
#include <core/frames.h>
#include <core/log.h>
#include "core.h"
#include "state.h"

struct vmx_capability vmx_capability;
bool vmx_usable;

/* Return 0, or the first field that this processor does not have as the table has it. */
static __init_text u32 wrong_field(void)
{
    for (const u16 *f = vmcs_fields; f < vmcs_fields + vmcs_n_fields; f++) {
        u64 value;
        if (vmcs_read(*f, &value) || (vmcs_kind(*f) != VMCS_EXIT_INFORMATION && vmcs_write(*f, value)))
            return *f;
    }
    return 0;
}

/* In VMX operation with `vmcs`, which is current. */
static __init_text void try_vmcs(void *vmcs, const struct vmx_capability *c)
{
    u64 reason = 0;
    u32 wrong = wrong_field();
    vmcs_clear(vmcs); /* its page is not to be touched while it is active */
    const char *why = wrong ? 0 : vmcs_load(vmcs, c) ? "no VMCS a second time" : vmx_trial(c, &reason);
    if (wrong)
        printk("vmx: this processor has no VMCS field %x\n", wrong);
    else if (why)
        printk("vmx: a guest of nine instructions: %s %llx\n", why, reason);
    else
        vmx_usable = true;
    if (vmx_usable)
        printk("vmx: VT-x has what guests need and ran one of nine instructions\n");
}

static __init_text void try_vmx(void *region, void *vmcs, const struct vmx_capability *c)
{
    unsigned long flags = irq_save();
    int error = vmx_enter(region, c);
    if (!error) {
        error = vmcs_load(vmcs, c);
        if (!error) {
            try_vmcs(vmcs, c);
            vmcs_clear(vmcs);
        }
        vmx_leave();
    }
    irq_restore(flags);
    if (error)
        printk("vmx: this processor does not enter VMX operation\n");
}

__init_text void vmx_check(void)
{
    struct vmx_capability *c = &vmx_capability;
    const char *missing;
    vmx_read_capability(c);
    const char *why = vmx_refusal(c, &missing);
    if (why) {
        printk("vmx: %s%s%s\n", why, missing ? " " : "", missing ? missing : "");
        return;
    }
    void *region = page_alloc(), *vmcs = page_alloc();
    if (region && vmcs)
        try_vmx(region, vmcs, c);
    else
        printk("vmx: no memory\n");
    if (region)
        page_free(region);
    if (vmcs)
        page_free(vmcs);
}
