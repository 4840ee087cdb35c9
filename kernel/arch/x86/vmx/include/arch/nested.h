/* SPDX-License-Identifier: MIT */
/* arch/nested.h (x86, 64 bits, VT-x) - entries of EPT tables (Intel SDM vol. 3, 29.3.2): bits 0-2 permit reads, writes
 * and fetches, bits 5-3 of a page are its memory type, which the guest's PAT may make weaker. Bit 0 is always set, as
 * PTE_P is; PTE_PS and PTE_ADDR are the same in both. */
#ifndef AMALGAM_ARCH_NESTED_H
#define AMALGAM_ARCH_NESTED_H

#include <arch/cpu.h>
#include <arch/pte.h>
#include <arch/vmx.h>
#include <hal/memory.h>

#define EPT_WRITE    2ul
#define EPT_EXECUTE  4ul
#define NESTED_TABLE (PTE_P | EPT_WRITE | EPT_EXECUTE)

static inline u64 nested_page(unsigned prot)
{
    return PTE_P | VMX_MEMORY_WRITE_BACK << 3 | (prot & S2_WRITE ? EPT_WRITE : 0) | (prot & S2_EXEC ? EPT_EXECUTE : 0);
}

static inline unsigned nested_levels(void) { return 4; }
/* Returns whether there are pages of 1 GiB. */
static inline bool nested_has_gib(void) { return rdmsr(MSR_VMX_EPT_VPID_CAP) & VMX_EPT_GIB_PAGES; }

#endif
