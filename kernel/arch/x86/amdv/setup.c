/* SPDX-License-Identifier: MIT */
/*
 * setup.c - enables AMD-V, and creates a vCPU: its intercepts, and the MSRs and ports that it may access (APM vol. 2
 * chapter 15). amdv/reset.c sets its registers.
 *
 * A guest uses its own control registers, page tables, descriptor tables, system call registers and exceptions without
 * an exit. Shared resources are intercepted: ports, MSRs outside the map, CPUID, HLT, cache flushes, AMD-V itself. #DB
 * and #AC are intercepted, too, because their delivery can loop for ever in microcode and block interrupts
 * (CVE-2015-5307, CVE-2015-8104).
 */
#include <arch/cpu.h>
#include <arch/features.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <string.h>

/* Nearly all bits are set: each port access exits, and nearly each MSR's. */
static u8 io_map[IOPM_SIZE] __aligned(4096);
static u8 msr_map[MSRPM_SIZE] __aligned(4096);

static __cold void permission_maps(void)
{
    /* The MSRs that VMLOAD and VMSAVE switch, so that a guest reaches only its own values. */
    static const u16 pass[] = {
        MSRPM_SLOT(0x174u),      MSRPM_SLOT(0x175u),      MSRPM_SLOT(0x176u),      MSRPM_SLOT(0xc0000081u),
        MSRPM_SLOT(0xc0000082u), MSRPM_SLOT(0xc0000083u), MSRPM_SLOT(0xc0000084u), MSRPM_SLOT(0xc0000100u),
        MSRPM_SLOT(0xc0000101u), MSRPM_SLOT(0xc0000102u),
    };
    memset(io_map, 0xff, sizeof(io_map));
    memset(msr_map, 0xff, sizeof(msr_map));
    for (unsigned i = 0; i < ARRAY_SIZE(pass); i++)
        msr_map[pass[i] / 4] &= ~(3 << pass[i] % 4 * 2);
}

static u64 host_xcr0; /* the features of extended state that the kernel saves: all that the board has; 0: no XSAVE */

__cold int hal_guest_enable(void)
{
    struct arch_cpu *c = &this_cpu()->arch;
    if (c->host_vmcb)
        return 0;
    if (cpuid(0x80000000, 0).eax < 0x8000000a || !(cpuid(0x80000001, 0).ecx & X86_FEATURE_SVM)) {
        printk("amdv: this processor has no AMD-V\n");
        return -ENODEV;
    }
    struct cpuid_regs r = cpuid(0x8000000a, 0);
    if (rdmsr(MSR_VM_CR) & VM_CR_SVMDIS || !(r.edx & AMDV_NP) || r.ebx < 2) {
        printk("amdv: AMD-V is %s\n", r.edx & AMDV_NP ? "switched off by the firmware" : "without nested paging");
        return -EOPNOTSUPP;
    }
    if (this_cpu()->id == 0)
        permission_maps();
    if (read_cr4() & CR4_OSXSAVE) {
        struct cpuid_regs x = cpuid(0xd, 0);
        host_xcr0 = x.eax | (u64)x.edx << 32;
    }
    amdv_features &= r.edx;
    if (!(amdv_features & AMDV_CLEAN) &&
        !amdv_checked) /* the checked mode checks clean bits even if the processor has none */
        amdv_clean_all = 0;
    amdv_asids = MIN(amdv_asids, r.ebx);
    c->host_save = virt_to_phys(c->host_area[0]);
    c->host_vmcb = virt_to_phys(c->host_area[1]);
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_HSAVE_PA, c->host_save);
    __asm__ volatile("vmsave %0" ::"a"(c->host_vmcb) : "memory");
    return 0;
}

u64 vcpu_xcr0_supported(void) { return host_xcr0; }

static __init_text void intercepts(struct vmcb *b)
{
    b->intercept_cr = quirk_intercept_cr();
    b->intercept_exception = 1u << VEC_DB | 1u << VEC_AC | 1u << VEC_MC;
    b->intercept1 = INT1_INTR | INT1_NMI | INT1_SMI | INT1_INIT | INT1_RDPMC | INT1_CPUID | INT1_RSM | INT1_INVD |
                    INT1_HLT | INT1_INVLPGA | INT1_IOIO | INT1_MSR | INT1_FERR_FREEZE | INT1_SHUTDOWN;
    b->intercept2 = INT2_AMDV | INT2_WBINVD | INT2_MONITOR | INT2_MWAIT | INT2_MWAIT_ARMED | INT2_XSETBV | INT2_RDPRU;
    if (amdv_features & AMDV_PAUSE_FILTER) { /* for a guest that spins on a lock whose holder does not run */
        b->intercept1 |= INT1_PAUSE;
        b->pause_count = 3000;
        b->pause_threshold = amdv_features & AMDV_PAUSE_THRESHOLD ? 128 : 0;
    }
}

__init_text int hal_vcpu_create(struct hal_vcpu *v, struct stage2 *s2, unsigned index)
{
    (void)index;
    struct vmcb *b = page_alloc();
    if (!b)
        return -ENOMEM;
    memset(v, 0, sizeof(*v));
    v->vmcb = b;
    v->vmcb_pa = virt_to_phys(b);
    b->iopm = virt_to_phys(io_map);
    b->msrpm = virt_to_phys(msr_map);
    b->np_enable = 1;
    b->ncr3 = s2->root;
    intercepts(b);
    vcpu_reset(v);
    return 0;
}

/* While this thread owns the extended state (context.c), the guest's XCR0 is in the register only: QEMU 7.2 ignores
 * the XSETBV intercept, so no copy would be right. */
void vcpu_reset_xcr0(void)
{
    if (host_xcr0)
        xsetbv(0, 1);
}
