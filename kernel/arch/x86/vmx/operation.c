/* SPDX-License-Identifier: MIT */
/*
 * operation.c - VMX operation and the current VMCS (Intel SDM vol. 3, 24.7, 25.11, chapter 31). Each instruction tells
 * by CF or ZF that it failed.
 */
#include <arch/cpu.h>
#include <arch/vmx.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>

#include "core.h"

paddr_t vmx_msr_map; /* here, because this file names none of those that need it */

/* A VMX instruction with a physical address in memory; `failed` is CF or ZF. */
#define VMX_WITH(instruction, address, failed)                                                                         \
    __asm__ volatile(instruction " %1; setna %0" : "=qm"(failed) : "m"(address) : "cc", "memory")

__cold int vmx_enter(void *region, const struct vmx_capability *c)
{
    paddr_t at = virt_to_phys(region);
    bool failed;
    memset(region, 0, PAGE_SIZE);
    *(u32 *)region = VMX_BASIC_REVISION(c->basic);
    u64 control = rdmsr(MSR_FEATURE_CONTROL); /* each core has its own */
    if (!(control & FEATURE_CONTROL_LOCKED))
        wrmsr(MSR_FEATURE_CONTROL, control | FEATURE_CONTROL_VMX | FEATURE_CONTROL_LOCKED);
    write_cr4(read_cr4() | CR4_VMXE);
    VMX_WITH("vmxon", at, failed);
    if (failed)
        write_cr4(read_cr4() & ~CR4_VMXE);
    return failed ? -EIO : 0;
}

__cold void vmx_leave(void)
{
    __asm__ volatile("vmxoff" ::: "cc", "memory");
    write_cr4(read_cr4() & ~CR4_VMXE);
}

__cold int vmcs_load(void *page, const struct vmx_capability *c)
{
    paddr_t at = virt_to_phys(page);
    bool failed;
    memset(page, 0, PAGE_SIZE);
    *(u32 *)page = VMX_BASIC_REVISION(c->basic);
    VMX_WITH("vmclear", at, failed);
    if (!failed)
        VMX_WITH("vmptrld", at, failed);
    return failed ? -EIO : 0;
}

__init_text void vmcs_clear(void *page)
{
    paddr_t at = virt_to_phys(page);
    bool failed; /* it cannot: the page is the current VMCS */
    VMX_WITH("vmclear", at, failed);
    (void)failed;
}

__cold int vmcs_write(u32 field, u64 value)
{
    bool failed;
    __asm__ volatile("vmwrite %2, %1; setna %0" : "=qm"(failed) : "r"((u64)field), "rm"(value) : "cc");
    return failed ? -EIO : 0;
}

__init_text int vmcs_read(u32 field, u64 *value)
{
    bool failed;
    __asm__ volatile("vmread %2, %1; setna %0" : "=qm"(failed), "=rm"(*value) : "r"((u64)field) : "cc");
    return failed ? -EIO : 0;
}
