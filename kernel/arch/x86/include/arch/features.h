/* SPDX-License-Identifier: MIT */
/* arch/features.h (x86) - feature bits of CPUID by Linux' names, a group for each leaf and register (APM vol. 3,
 * appendix E). */
#ifndef AMALGAM_ARCH_FEATURES_H
#define AMALGAM_ARCH_FEATURES_H

/* Leaf 1, ECX */
#define X86_FEATURE_DTES64             (1u << 2)
#define X86_FEATURE_MWAIT              (1u << 3)
#define X86_FEATURE_DSCPL              (1u << 4)
#define X86_FEATURE_VMX                (1u << 5)
#define X86_FEATURE_SMX                (1u << 6)
#define X86_FEATURE_EST                (1u << 7)
#define X86_FEATURE_TM2                (1u << 8)
#define X86_FEATURE_CID                (1u << 10)
#define X86_FEATURE_SDBG               (1u << 11)
#define X86_FEATURE_FMA                (1u << 12)
#define X86_FEATURE_XTPR               (1u << 14)
#define X86_FEATURE_PDCM               (1u << 15)
#define X86_FEATURE_DCA                (1u << 18)
#define X86_FEATURE_X2APIC             (1u << 21)
#define X86_FEATURE_TSC_DEADLINE_TIMER (1u << 24)
#define X86_FEATURE_XSAVE              (1u << 26)
#define X86_FEATURE_OSXSAVE            (1u << 27) /* a copy of CR4.OSXSAVE */
#define X86_FEATURE_AVX                (1u << 28)
#define X86_FEATURE_F16C               (1u << 29)
#define X86_FEATURE_RDRAND             (1u << 30)
#define X86_FEATURE_HYPERVISOR         (1u << 31)

/* Leaf 1, EDX */
#define X86_FEATURE_PSE  (1u << 3)
#define X86_FEATURE_PN   (1u << 18)
#define X86_FEATURE_DS   (1u << 21)
#define X86_FEATURE_ACPI (1u << 22)
#define X86_FEATURE_HT   (1u << 28)
#define X86_FEATURE_ACC  (1u << 29)
#define X86_FEATURE_PBE  (1u << 31)

/* Leaf 6, EAX */
#define X86_FEATURE_ARAT (1u << 2)

/* Leaf 7, EBX */
#define X86_FEATURE_FSGSBASE   (1u << 0)
#define X86_FEATURE_BMI1       (1u << 3)
#define X86_FEATURE_AVX2       (1u << 5)
#define X86_FEATURE_SMEP       (1u << 7)
#define X86_FEATURE_BMI2       (1u << 8)
#define X86_FEATURE_ERMS       (1u << 9)
#define X86_FEATURE_INVPCID    (1u << 10)
#define X86_FEATURE_RDSEED     (1u << 18)
#define X86_FEATURE_ADX        (1u << 19)
#define X86_FEATURE_SMAP       (1u << 20)
#define X86_FEATURE_CLFLUSHOPT (1u << 23)
#define X86_FEATURE_CLWB       (1u << 24)
#define X86_FEATURE_SHA_NI     (1u << 29)

/* Leaf 7, ECX */
#define X86_FEATURE_UMIP       (1u << 2)
#define X86_FEATURE_VAES       (1u << 9)
#define X86_FEATURE_VPCLMULQDQ (1u << 10)
#define X86_FEATURE_RDPID      (1u << 22)

/* Leaf 7, EDX */
#define X86_FEATURE_FSRM (1u << 4)

/* Leaf 0x80000001, ECX */
#define X86_FEATURE_CMP_LEGACY   (1u << 1)
#define X86_FEATURE_SVM          (1u << 2)
#define X86_FEATURE_EXTAPIC      (1u << 3)
#define X86_FEATURE_OSVW         (1u << 9)
#define X86_FEATURE_IBS          (1u << 10)
#define X86_FEATURE_SKINIT       (1u << 12)
#define X86_FEATURE_WDT          (1u << 13)
#define X86_FEATURE_LWP          (1u << 15)
#define X86_FEATURE_TCE          (1u << 17)
#define X86_FEATURE_NODEID_MSR   (1u << 19)
#define X86_FEATURE_TOPOEXT      (1u << 22)
#define X86_FEATURE_PERFCTR_CORE (1u << 23)
#define X86_FEATURE_PERFCTR_NB   (1u << 24)
#define X86_FEATURE_PERFCTR_LLC  (1u << 28)
#define X86_FEATURE_MWAITX       (1u << 29)

/* Leaf 0x80000001, EDX */
#define X86_FEATURE_NX       (1u << 20)
#define X86_FEATURE_FXSR_OPT (1u << 25)
#define X86_FEATURE_GBPAGES  (1u << 26)
#define X86_FEATURE_RDTSCP   (1u << 27)

/* Leaf 0x80000007, EDX */
#define X86_FEATURE_INVARIANT_TSC (1u << 8)

/* Leaf 0x80000008, EBX */
#define X86_FEATURE_CLZERO     (1u << 0)
#define X86_FEATURE_XSAVEERPTR (1u << 2)
#define X86_FEATURE_IBPB       (1u << 12)

/* Leaf 0x80000021, EAX */
#define X86_FEATURE_UPPER_ADDRESS_IGNORE (1u << 7)
#define X86_FEATURE_AUTOIBRS             (1u << 8)

#endif
