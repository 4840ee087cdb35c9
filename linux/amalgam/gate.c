// SPDX-License-Identifier: MIT
/*
 * gate.c - checks whether the kernel can be attached on this machine. It is called at load, and again at attach because
 * KVM may have been started in between. Each refusal names its reason; docs/attach.md says what to do about it.
 */
#include <linux/cc_platform.h>
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/security.h>
#include <asm/cpufeature.h>
#include <asm/processor-flags.h>
#include <asm/processor.h>
#include <asm/special_insns.h>

#include "compat.h"
#include "module.h"

#define MSR_VM_CR_SVMDIS (1ull << 4)  /* APM 15.4: fixed by firmware */
#define SYSCFG_SNP       (1ull << 24) /* SecureNestedPagingEn, APM 15.36 */
#define ENCRYPTION_LEAF  0x8000001f
#define HAS_ENCRYPTION   1u /* in EAX of that leaf */

/* The bits of CR4 that the kernel carries across: what else they switch on, VMRUN may not know, as FRED. */
#define KNOWN_CR4                                                                                                      \
    (X86_CR4_VME | X86_CR4_PVI | X86_CR4_TSD | X86_CR4_DE | X86_CR4_PSE | X86_CR4_PAE | X86_CR4_MCE | X86_CR4_PGE |    \
     X86_CR4_PCE | X86_CR4_OSFXSR | X86_CR4_OSXMMEXCPT | X86_CR4_UMIP | X86_CR4_LA57 | X86_CR4_FSGSBASE |              \
     X86_CR4_PCIDE | X86_CR4_OSXSAVE | X86_CR4_SMEP | X86_CR4_SMAP | X86_CR4_PKE | CR4_CET)
#define CR4_CET (1ul << 23) /* Linux 6.1 has no name for it */

static bool nested;
module_param(nested, bool, 0600);
MODULE_PARM_DESC(nested, "attach although a hypervisor is below already");

/* Linux shows no VT-x where the firmware forbids it, and a virtual machine may have none: the maker is asked, too. */
static int refuse_without_amdv(void)
{
    switch (boot_cpu_data.x86_vendor) {
    case X86_VENDOR_INTEL:
    case X86_VENDOR_CENTAUR:
    case X86_VENDOR_ZHAOXIN:
        return why(-EOPNOTSUPP,
                   "attach needs AMD-V; this maker has VT-x, off in the firmware or hidden by a hypervisor");
    default: return why(-EOPNOTSUPP, "this processor has no AMD-V, or its firmware hides it");
    }
}

static int check_features(void)
{
    if (boot_cpu_has(X86_FEATURE_VMX))
        return why(-EOPNOTSUPP, "this processor has VT-x, and attach needs AMD-V; Amalgam itself boots there");
    if (!boot_cpu_has(X86_FEATURE_SVM))
        return refuse_without_amdv();
    if (!boot_cpu_has(X86_FEATURE_NPT))
        return why(-EOPNOTSUPP, "this processor's AMD-V has no nested paging");
    if (boot_cpu_has(X86_FEATURE_HYPERVISOR) && !nested)
        return why(-EPERM, "a hypervisor is below already, and the module was loaded without nested=1");
    if (cc_platform_has(CC_ATTR_MEM_ENCRYPT))
        return why(-EOPNOTSUPP, "Linux encrypts memory: addresses carry a bit that nested tables do not know");
    if (num_possible_cpus() > ATTACH_MAX_CPUS)
        return why(-E2BIG, "%u possible CPUs, and the kernel knows %u; boot with possible_cpus=%u", num_possible_cpus(),
                   ATTACH_MAX_CPUS, ATTACH_MAX_CPUS);
    if (security_locked_down(LOCKDOWN_DEV_MEM))
        return why(-EPERM, "this Linux is locked down: even root may not change the kernel");
    return 0;
}

/*
 * Firmware may have switched memory encryption on although Linux does not use it: memory then has a second address,
 * which the kernel's nested tables leave out. It looks at one CPU for all.
 */
static int check_encryption(unsigned int cpu, u64 *first)
{
    u64 syscfg;

    if (cpuid_eax(0x80000000) < ENCRYPTION_LEAF || !(cpuid_eax(ENCRYPTION_LEAF) & HAS_ENCRYPTION))
        return 0;
    if (rdmsrq_safe_on_cpu(cpu, MSR_AMD64_SYSCFG, &syscfg))
        return why(-EIO, "CPU %u does not tell its state of memory encryption", cpu);
    if (syscfg & SYSCFG_SNP)
        return why(-EOPNOTSUPP, "SEV-SNP is on: the processor itself decides who has which page");
    if (*first == U64_MAX)
        *first = syscfg;
    if ((syscfg ^ *first) & MSR_AMD64_SYSCFG_MEM_ENCRYPT)
        return why(-EOPNOTSUPP, "memory encryption is on on some CPUs and off on CPU %u, or the other way round", cpu);
    return 0;
}

static int check_cr4(void) { return native_read_cr4() & ~KNOWN_CR4 ? -EOPNOTSUPP : 0; }

int gate_here(void)
{
    u64 efer;

    rdmsrq(MSR_EFER, efer);
    return efer & EFER_SVME ? -EBUSY : check_cr4();
}

static int check_cpu(unsigned int cpu)
{
    u64 efer, vm_cr;

    if (rdmsrq_safe_on_cpu(cpu, MSR_EFER, &efer) || rdmsrq_safe_on_cpu(cpu, MSR_VM_CR, &vm_cr))
        return why(-EIO, "CPU %u does not tell its state of AMD-V", cpu);
    if (vm_cr & MSR_VM_CR_SVMDIS)
        return why(-EOPNOTSUPP, "the firmware has disabled AMD-V on CPU %u", cpu);
    if (efer & EFER_SVME)
        return why(-EBUSY, "KVM or another hypervisor uses AMD-V on CPU %u", cpu);
    return 0;
}

int gate_check(void)
{
    int error = check_features();
    u64 syscfg = U64_MAX;
    unsigned int cpu;

    if (error)
        return error;
    if (check_cr4())
        return why(-EOPNOTSUPP, "Linux uses something of this processor that the kernel does not know, such as FRED");
    cpus_read_lock();
    for_each_online_cpu(cpu)
    {
        error = check_cpu(cpu) ?: check_encryption(cpu, &syscfg);
        if (error)
            break;
    }
    cpus_read_unlock();
    return error;
}
