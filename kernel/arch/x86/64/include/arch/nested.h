/* SPDX-License-Identifier: MIT */
/* arch/nested.h (x86, 64 bits, AMD-V) - entries of nested tables: the host's format with the user bit always set,
 * because nested walks are user accesses (APM vol. 2, 15.25.5). PTE_P, PTE_PS and PTE_ADDR are the same in all. */
#ifndef AMALGAM_ARCH_NESTED_H
#define AMALGAM_ARCH_NESTED_H

#include <arch/cpu.h>
#include <arch/features.h>
#include <arch/pte.h>
#include <hal/memory.h>

#define NESTED_TABLE (PTE_P | PTE_W | PTE_U)

static inline u64 nested_page(unsigned prot)
{
    return PTE_P | PTE_U | (prot & S2_WRITE ? PTE_W : 0) | (prot & S2_EXEC ? 0 : PTE_NX);
}

/* As many as the host has (15.25.3). */
static inline unsigned nested_levels(void) { return read_cr4() & CR4_LA57 ? 5 : 4; }
/* Returns whether there are pages of 1 GiB. */
static inline bool nested_has_gib(void) { return cpuid(0x80000001, 0).edx & X86_FEATURE_GBPAGES; }

#endif
