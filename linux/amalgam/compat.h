/* SPDX-License-Identifier: MIT */
/* compat.h - names of Linux that changed between 6.1 and the last release that the module was built for (dkms.conf). */
#ifndef AMALGAM_COMPAT_H
#define AMALGAM_COMPAT_H

#include <asm/cpufeature.h>
#include <asm/msr.h>
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h> /* from 6.16 on */
#else
#include <asm/processor.h>
#endif

/* Returns whether Linux flushes the translations of other CPUs by INVLPGB, which it does from 6.15 on. */
static inline bool uses_invlpgb(void)
{
#ifdef X86_FEATURE_INVLPGB
    return boot_cpu_has(X86_FEATURE_INVLPGB);
#else
    return false;
#endif
}

#ifndef rdmsrq /* before 6.16 */
#define rdmsrq             rdmsrl
#define rdmsrq_safe_on_cpu rdmsrl_safe_on_cpu
#endif

#endif
