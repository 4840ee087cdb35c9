/* SPDX-License-Identifier: MIT */
/*
 * setup.c - enters VMX operation on a core, and creates a vCPU. fields.c writes its VMCS, reset.c sets its registers.
 *
 * A guest uses its own control registers but for a few bits, page tables, descriptor tables, system call registers and
 * exceptions without an exit. Shared resources exit: ports, MSRs outside the map, CPUID, HLT, cache flushes, VT-x
 * itself. #DB and #AC exit, too, because their delivery can loop for ever in microcode and block interrupts
 * (CVE-2015-5307, CVE-2015-8104), and #UD, because it may be a hypercall.
 */
#include <arch/features.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include "access.h"
#include "core.h"

static u8 msr_map[4096] __aligned(4096); /* all bits are set but those of `pass` (25.6.9) */
static u64 host_xcr0; /* the features of extended state that the kernel saves: all that the board has; 0: no XSAVE */

static void pass(u32 msr, bool writes)
{
    unsigned byte = (msr >> 31) * 1024 + (msr & 0x1fff) / 8;
    u8 bit = (u8) ~(1u << msr % 8);
    msr_map[byte] &= bit;
    if (writes)
        msr_map[byte + 2048] &= bit;
}

/* FS, GS and SYSENTER's MSRs are the VMCS'. KERNEL_GS_BASE and the four from STAR on are switched by vcpu.c. */
static __cold void permission_map(void)
{
    memset(msr_map, 0xff, sizeof(msr_map));
    for (u32 i = 0; i < 3; i++) {
        pass(0x174 + i, true);
        pass(0xc0000100 + i, true);
    }
    for (u32 i = 0; i < VMX_STARS; i++)
        pass(MSR_STAR + i, false);
    vmx_msr_map = virt_to_phys(msr_map);
    if (read_cr4() & CR4_OSXSAVE) {
        struct cpuid_regs x = cpuid(0xd, 0);
        host_xcr0 = x.eax | (u64)x.edx << 32;
    }
}

/* vmx_check() has said why VT-x cannot be used. */
__cold int hal_guest_enable(void)
{
    struct arch_cpu *a = &this_cpu()->arch;
    if (a->host_vmcb)
        return 0;
    if (!vmx_usable)
        return -ENODEV;
    unsigned long flags = irq_save();
    int err = vmx_enter(a->host_area[0], &vmx_capability);
    irq_restore(flags);
    if (err) {
        printk("vmx: core %u does not enter VMX operation\n", this_cpu()->id);
        return err;
    }
    if (!vmx_msr_map)
        permission_map();
    struct vmx_core *core = vmx_core_of(this_cpu());
    memset(core, 0, sizeof(*core));
    if (vmx_capability.tsc_aux)
        core->tsc_aux = (u32)rdmsr(MSR_TSC_AUX);
    for (unsigned i = 0; i < VMX_STARS; i++)
        core->star[i] = rdmsr(MSR_STAR + i);
    a->host_vmcb = virt_to_phys(core);
    return 0;
}

u64 vcpu_xcr0_supported(void) { return host_xcr0; }

__init_text void vcpu_hide_features(u32 *ebx7, u32 *ecx7, u32 *extended)
{
    vmx_hide_features(&vmx_capability, ebx7, ecx7, extended);
}

/* While this thread owns the extended state (context.c), the guest's XCR0 is in the register only. */
void vcpu_reset_xcr0(void)
{
    if (host_xcr0)
        xsetbv(0, 1);
}

__init_text int hal_vcpu_create(struct hal_vcpu *v, struct stage2 *s2, unsigned index)
{
    (void)index;
    memset(v, 0, sizeof(*v));
    v->vmcs = page_alloc();
    v->apic = page_alloc();
    if (!v->vmcs || !v->apic)
        return -ENOMEM;
    v->vmcs_pa = virt_to_phys(v->vmcs);
    v->eptp = s2->root | 3 << 3 | VMX_MEMORY_WRITE_BACK; /* four levels */
    vcpu_reset(v);
    v->dirty |= DIRTY_VMCS;
    return 0;
}
