/* SPDX-License-Identifier: MIT */
/*
 * fake_registers.h - the processor beneath the Linux of fake_linux.h: what linux/amalgam/gate.c and attach.c read of
 * it. A test sets its features and registers. The first CPU runs the test.
 */
#ifndef AMALGAM_TESTS_FAKE_REGISTERS_H
#define AMALGAM_TESTS_FAKE_REGISTERS_H

#include "fake_cpus.h"

enum host_feature {
    X86_FEATURE_VMX,
    X86_FEATURE_SVM,
    X86_FEATURE_NPT,
    X86_FEATURE_HYPERVISOR,
#define X86_FEATURE_INVLPGB X86_FEATURE_INVLPGB /* the module asks whether there is the name, as in Linux */
    X86_FEATURE_INVLPGB,
    HOST_FEATURES
};

/* A CPU's registers, as many as the module reads. */
struct host_registers {
    u64 efer, vm_cr, syscfg;
};

/* <asm/processor.h> */
enum host_vendor {
    X86_VENDOR_INTEL,
    X86_VENDOR_AMD = 2,
    X86_VENDOR_CENTAUR = 5,
    X86_VENDOR_HYGON = 9,
    X86_VENDOR_ZHAOXIN
};
static struct {
    enum host_vendor x86_vendor;
} boot_cpu_data __attribute__((unused));

static bool host_has[HOST_FEATURES] __attribute__((unused));
static struct host_registers host_registers[CPUS] __attribute__((unused));
static unsigned long host_cr4 __attribute__((unused));
static u32 host_encryption __attribute__((unused)); /* EAX of CPUID leaf 0x8000001f */
static bool host_irqs_off __attribute__((unused));

#define boot_cpu_has(feature)      host_has[feature]
#define CC_ATTR_MEM_ENCRYPT        0
#define cc_platform_has(attribute) false
#define LOCKDOWN_DEV_MEM           0
#define security_locked_down(what) 0
#define module_param(name, type, mode)
#define MODULE_PARM_DESC(name, text)
#define THIS_MODULE            NULL
#define try_module_get(module) true
#define module_put(module)     ((void)0)
#define U64_MAX                (~0ull)

/* APM vol. 2, 3.1.3, 3.2.1, 15.30.1. */
#define X86_CR4_VME                  0x1ul
#define X86_CR4_PVI                  0x2ul
#define X86_CR4_TSD                  0x4ul
#define X86_CR4_DE                   0x8ul
#define X86_CR4_PSE                  0x10ul
#define X86_CR4_PAE                  0x20ul
#define X86_CR4_MCE                  0x40ul
#define X86_CR4_PGE                  0x80ul
#define X86_CR4_PCE                  0x100ul
#define X86_CR4_OSFXSR               0x200ul
#define X86_CR4_OSXMMEXCPT           0x400ul
#define X86_CR4_UMIP                 0x800ul
#define X86_CR4_LA57                 0x1000ul
#define X86_CR4_FSGSBASE             0x10000ul
#define X86_CR4_PCIDE                0x20000ul
#define X86_CR4_OSXSAVE              0x40000ul
#define X86_CR4_SMEP                 0x100000ul
#define X86_CR4_SMAP                 0x200000ul
#define X86_CR4_PKE                  0x400000ul
#define MSR_EFER                     0xc0000080u
#define EFER_SVME                    0x1000ull
#define MSR_VM_CR                    0xc0010114u
#define MSR_AMD64_SYSCFG             0xc0010010u
#define MSR_AMD64_SYSCFG_MEM_ENCRYPT (1ull << 23)

static inline unsigned long native_read_cr4(void) { return host_cr4; }
static inline u32 cpuid_eax(u32 leaf) { return leaf == 0x80000000u ? 0x8000001fu : host_encryption; }
static inline int rdmsrl_safe_on_cpu(unsigned int cpu, u32 msr, u64 *value)
{
    const struct host_registers *r = &host_registers[cpu];
    *value = msr == MSR_EFER ? r->efer : msr == MSR_VM_CR ? r->vm_cr : r->syscfg;
    return 0;
}
#define rdmsrl(msr, value) ((void)rdmsrl_safe_on_cpu(0, msr, &(value)))

#define num_possible_cpus()      CPUS
#define smp_processor_id()       0u
#define cpu_online_mask          (&host_online)
#define cpumask_first(mask)      0u
#define cpumask_any_but(mask, c) ((c) == 0 ? 1u : 0u)
#define for_each_online_cpu(cpu)                                                                                       \
    for ((cpu) = 0; (cpu) < CPUS; (cpu)++)                                                                             \
        if (cpu_online(cpu))
#define cpus_read_lock()         ((void)0)
#define cpus_read_unlock()       ((void)0)
#define local_irq_save(flags)    ((flags) = host_irqs_off, host_irqs_off = true)
#define local_irq_restore(flags) (host_irqs_off = (flags))

typedef struct {
    int counter;
} atomic_t;
#define atomic_inc(a)              ((void)(a)->counter++)
#define atomic_read(a)             ((a)->counter)
#define cpu_relax()                ((void)0)
#define cmpxchg(p, old, new)       __sync_val_compare_and_swap(p, old, new)
#define try_cmpxchg64(p, old, new) __atomic_compare_exchange_n(p, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define rdtsc()                    0ull
#define ktime_get_ns()             0ull
#define mul_u64_u32_div(a, b, c)   ((a) * (b) / (c))
static const unsigned int tsc_khz __attribute__((unused)) = 1000;
static inline int stop_machine(int (*fn)(void *), void *arg, const struct cpumask *cpus)
{
    host_irqs_off = true;
    int error = fn(arg);
    host_irqs_off = false;
    return error;
}

#endif
