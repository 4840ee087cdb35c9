/* SPDX-License-Identifier: MIT */
/*
 * user.c - guests beside processes. An exit of VT-x loads less than one of AMD-V: what is left of the guest is taken
 * off the core before a program gets it, and what an exit does load must suit programs whenever the VMCS was filled.
 *
 * An exit also sets the limit of the GDT to 64 KiB (Intel SDM vol. 3, 28.5.2). The kernel uses no selector behind its
 * own, but a program can load one: what lies behind the table, values that guests choose among it, would be descriptors
 * to it.
 */
#include <arch/features.h>
#include <arch/guest_registers.h>
#include <core/init.h>
#include <core/log.h>
#include "access.h"
#include "core.h"
#include "state.h"

#define MSR_ARCH_CAPABILITIES 0x10au
#define RDCL_NO               1u
#define HAS_CAPABILITIES(edx) ((edx) >> 29 & 1) /* of CPUID leaf 7 */

/* The kernel's own space: a process's may be loaded when a VMCS is filled, and would be again after each exit. */
u64 vmx_host_root(void)
{
    static u64 root; /* first asked for at boot (trial.c) */
    if (!root)
        root = read_cr3();
    return root;
}

/* With SYSCALL, also if this core has had no process yet. */
u64 vmx_host_efer(void) { return rdmsr(MSR_EFER) | EFER_SCE; }

void host_registers_keep(struct arch_cpu *a)
{
    struct vmx_core *core = (struct vmx_core *)a->host_area[1];
    for (unsigned i = 0; i < VMX_STARS; i++)
        core->star[i] = rdmsr(MSR_STAR + i);
}

bool guest_registers_left(const struct arch_cpu *a)
{
    const struct vmx_core *core = (const struct vmx_core *)a->host_area[1];
    return core->last || core->tsc_aux;
}

void guest_registers_remove(struct arch_cpu *a, const u64 *syscalls)
{
    struct vmx_core *core = (struct vmx_core *)a->host_area[1];
    if (core->last)
        vmx_keep_registers(core->last);
    core->last = NULL; /* its next run makes it current again */
    wrmsr(MSR_KERNEL_GS_BASE, 0);
    for (unsigned i = 0; i < VMX_STARS; i++)
        if (core->star[i] != syscalls[i])
            wrmsr(MSR_STAR + i, core->star[i] = syscalls[i]);
    if (core->tsc_aux)
        wrmsr(MSR_TSC_AUX, core->tsc_aux = 0);
    lgdt(a->gdt, sizeof(a->gdt) - 1);
}

/* Kernel and processes share page tables, which keeps memory from them only if the processor does not speculate past
 * the user bit. */
static __init_text void say_what_leaks(void)
{
    bool told = cpuid(0, 0).eax >= 7 && HAS_CAPABILITIES(cpuid(7, 0).edx);
    if (cpuid(1, 0).ecx & X86_FEATURE_VMX && !(told && rdmsr(MSR_ARCH_CAPABILITIES) & RDCL_NO))
        printk("user: this processor may let processes read the kernel's memory (Meltdown): docs/caveats.md\n");
}
INIT_CALL(say_what_leaks);
