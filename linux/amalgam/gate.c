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
#include <asm/msr.h>

#include "module.h"

#define MSR_VM_CR_SVMDIS (1ull << 4) /* APM 15.4: fixed by firmware */

static bool nested;
module_param(nested, bool, 0600);
MODULE_PARM_DESC(nested, "attach although a hypervisor is below already");

static int check_features(void)
{
    if (!boot_cpu_has(X86_FEATURE_SVM))
        return why(-EOPNOTSUPP, "this processor has no AMD-V, or its firmware hides it");
    if (!boot_cpu_has(X86_FEATURE_NPT))
        return why(-EOPNOTSUPP, "this processor's AMD-V has no nested paging");
    if (boot_cpu_has(X86_FEATURE_HYPERVISOR) && !nested)
        return why(-EPERM, "a hypervisor is below already, and the module was loaded without nested=1");
    if (cc_platform_has(CC_ATTR_MEM_ENCRYPT))
        return why(-EOPNOTSUPP, "memory encryption is on: addresses carry a bit that nested tables do not know");
    if (num_possible_cpus() > ATTACH_MAX_CPUS)
        return why(-E2BIG, "%u possible CPUs, and the kernel knows %u; boot with possible_cpus=%u", num_possible_cpus(),
                   ATTACH_MAX_CPUS, ATTACH_MAX_CPUS);
    if (security_locked_down(LOCKDOWN_DEV_MEM))
        return why(-EPERM, "this Linux is locked down: even root may not change the kernel");
    return 0;
}

static int check_cpu(unsigned int cpu)
{
    u64 efer, vm_cr;

    if (rdmsrl_safe_on_cpu(cpu, MSR_EFER, &efer) || rdmsrl_safe_on_cpu(cpu, MSR_VM_CR, &vm_cr))
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
    unsigned int cpu;

    if (error)
        return error;
    cpus_read_lock();
    for_each_online_cpu(cpu)
    {
        error = check_cpu(cpu);
        if (error)
            break;
    }
    cpus_read_unlock();
    return error;
}
