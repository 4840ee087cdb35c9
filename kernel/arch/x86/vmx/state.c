/* SPDX-License-Identifier: MIT */
/*
 * state.c - fills a VMCS: the host as this core is, a guest as it is after RESET but for where it begins, and the
 * controls (Intel SDM vol. 3, 25.4 to 25.8; what entries check: 27.2, 27.3).
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vmcs.h>
#include <core/cpu.h>
#include <errors.h>
#include "state.h"

#define VMCS_ONE(name, width, kind, number) VMCS_##name,
const u16 vmcs_fields[] = { VMCS_FIELDS(VMCS_ONE) };
#undef VMCS_ONE
const unsigned vmcs_n_fields = ARRAY_SIZE(vmcs_fields);

#define MSR_SYSENTER_CS    0x174u /* ESP and EIP follow */
#define MSR_VMX_CR0_FIXED0 0x486u
#define MSR_VMX_CR4_FIXED0 0x488u
#define CR0_PE_PG          0x80000001ul /* a guest's own: unrestricted guest */
#define CR0_ET_NE          0x30ul
#define TSS_SELECTOR       0x20

/* Of the VMCS' segments, in their order from ES to TR: what a real mode has, a busy TSS and an LDT (27.3.1.2). */
static const u8 rights[] = { 0x93, 0x9b, 0x93, 0x93, 0x93, 0x93, 0x82, 0x8b };

struct value {
    u32 field;
    u64 value;
};

static __cold int write_all(const struct value *v, unsigned n)
{
    int error = 0;
    for (unsigned i = 0; i < n && !error; i++)
        error = vmcs_write(v[i].field, v[i].value);
    return error;
}

__cold int vmcs_zero(void)
{
    int error = 0;
    for (unsigned i = 0; i < vmcs_n_fields && !error; i++)
        if (vmcs_kind(vmcs_fields[i]) != VMCS_EXIT_INFORMATION)
            error = vmcs_write(vmcs_fields[i], 0);
    return error;
}

__init_text int vmcs_set_controls(const struct vmx_capability *c, paddr_t ept_root)
{
    const struct value values[] = {
        { VMCS_PIN_CONTROLS, vmx_control(c->msr[VMX_PIN], VMX_PIN_INTERRUPT | VMX_PIN_NMI) },
        { VMCS_PROC_CONTROLS, vmx_control(c->msr[VMX_PROC], VMX_PROC_HLT | VMX_PROC_IO | VMX_PROC_SECONDARY) },
        { VMCS_PROC2_CONTROLS,
          vmx_control(c->msr[VMX_PROC2], VMX_PROC2_EPT | VMX_PROC2_VPID | VMX_PROC2_UNRESTRICTED) },
        { VMCS_EXIT_CONTROLS, vmx_control(c->msr[VMX_EXIT], VMX_EXIT_HOST_64 | VMX_EXIT_PAT_EFER) },
        { VMCS_ENTRY_CONTROLS, vmx_control(c->msr[VMX_ENTRY], VMX_ENTRY_PAT_EFER) },
        { VMCS_EPT_POINTER, ept_root | 3 << 3 | VMX_MEMORY_WRITE_BACK }, /* four levels */
        { VMCS_VPID, 1 },
        { VMCS_LINK_POINTER, ~0ul },
        { VMCS_CR0_MASK, ~(CR0_PE_PG | CR0_ET_NE) | CR0_ET_NE },
        { VMCS_CR4_MASK, CR4_VMXE },
    };
    return write_all(values, ARRAY_SIZE(values));
}

__cold int vmcs_set_host(void)
{
    struct arch_cpu *a = &this_cpu()->arch;
    u64 idt;
    u16 limit, ss;
    idt_where(&idt, &limit);
    __asm__ volatile("mov %%ss, %0" : "=r"(ss));
    const struct value values[] = {
        { VMCS_HOST_CS, 8 },
        { VMCS_HOST_SS, ss },
        { VMCS_HOST_TR, TSS_SELECTOR },
        { VMCS_HOST_CR0, read_cr0() },
        { VMCS_HOST_CR3, vmx_host_root() },
        { VMCS_HOST_CR4, read_cr4() },
        { VMCS_HOST_GS_BASE, rdmsr(MSR_GS_BASE) },
        { VMCS_HOST_TR_BASE, (u64)&a->tss },
        { VMCS_HOST_GDTR_BASE, (u64)a->gdt },
        { VMCS_HOST_IDTR_BASE, idt },
        { VMCS_HOST_SYSENTER_CS, rdmsr(MSR_SYSENTER_CS) },
        { VMCS_HOST_SYSENTER_ESP, rdmsr(MSR_SYSENTER_CS + 1) },
        { VMCS_HOST_SYSENTER_EIP, rdmsr(MSR_SYSENTER_CS + 2) },
        { VMCS_HOST_PAT, rdmsr(MSR_PAT) },
        { VMCS_HOST_EFER, vmx_host_efer() },
        { VMCS_HOST_RIP, (u64)vmx_exited },
    };
    return write_all(values, ARRAY_SIZE(values));
}

__init_text int vmcs_set_guest(u64 rip)
{
    const struct value values[] = {
        { VMCS_GUEST_CR0, CR0_ET_NE | (rdmsr(MSR_VMX_CR0_FIXED0) & ~CR0_PE_PG) },
        { VMCS_CR0_SHADOW, 0x10 },
        { VMCS_GUEST_CR4, rdmsr(MSR_VMX_CR4_FIXED0) },
        { VMCS_GUEST_RIP, rip },
        { VMCS_GUEST_RFLAGS, 2 },
        { VMCS_GUEST_DR7, 0x400 },
        { VMCS_GUEST_PAT, 0x0007040600070406 },
        { VMCS_GUEST_GDTR_LIMIT, 0xffff },
        { VMCS_GUEST_IDTR_LIMIT, 0x3ff },
    };
    int error = write_all(values, ARRAY_SIZE(values));
    for (unsigned i = 0; i < ARRAY_SIZE(rights) && !error; i++) {
        const struct value segment[] = {
            { VMCS_GUEST_ES_LIMIT + 2 * i, 0xffff },
            { VMCS_GUEST_ES_RIGHTS + 2 * i, rights[i] },
        };
        error = write_all(segment, ARRAY_SIZE(segment));
    }
    return error;
}
