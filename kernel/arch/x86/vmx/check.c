/* SPDX-License-Identifier: MIT */
/*
 * check.c - says at boot whether this processor's VT-x has what guests need, after it was tried: VMX operation is
 * entered with a VMCS, and each field of the table (arch/vmcs.h) is read and written. Guests run on AMD-V only.
 */
#include <arch/cpu.h>
#include <arch/vmcs.h>
#include <arch/vmx.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>

#define VMCS_ONE(name, width, kind, number) VMCS_##name,
static const u16 fields[] = { VMCS_FIELDS(VMCS_ONE) };
#undef VMCS_ONE

/* Return 0, or the first field that this processor does not have as the table has it. */
static __init_text u32 wrong_field(void)
{
    for (const u16 *f = fields; f < fields + ARRAY_SIZE(fields); f++) {
        u64 value;
        if (vmcs_read(*f, &value) || (vmcs_kind(*f) != VMCS_EXIT_INFORMATION && vmcs_write(*f, value)))
            return *f;
    }
    return 0;
}

static __init_text void try_vmx(void *region, void *vmcs, const struct vmx_capability *c)
{
    unsigned long flags = irq_save();
    int error = vmx_enter(region, c);
    u32 wrong = 0;
    if (!error) {
        error = vmcs_load(vmcs, c);
        if (!error) {
            wrong = wrong_field();
            vmcs_clear(vmcs);
        }
        vmx_leave();
    }
    irq_restore(flags);
    if (error)
        printk("vmx: this processor does not enter VMX operation\n");
    else if (wrong)
        printk("vmx: this processor has no VMCS field %x\n", wrong);
    else
        printk("vmx: VT-x has what guests need, and %u fields of a VMCS; this kernel hosts guests on AMD-V only\n",
               (unsigned)ARRAY_SIZE(fields));
}

static __init_text void vmx_check(void)
{
    struct vmx_capability c;
    const char *missing;
    vmx_read_capability(&c);
    const char *why = vmx_refusal(&c, &missing);
    if (why) {
        printk("vmx: %s%s%s\n", why, missing ? " " : "", missing ? missing : "");
        return;
    }
    void *region = page_alloc(), *vmcs = page_alloc();
    if (region && vmcs)
        try_vmx(region, vmcs, &c);
    else
        printk("vmx: no memory\n");
    if (region)
        page_free(region);
    if (vmcs)
        page_free(vmcs);
}
INIT_CALL(vmx_check);
