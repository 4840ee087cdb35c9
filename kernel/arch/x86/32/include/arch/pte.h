/* SPDX-License-Identifier: MIT */
/*
 * arch/pte.h (x86, 32 bits) - entries of page tables: two levels, pages of 4 KiB and 4 MiB (Pentium Processor Family
 * Developer's Manual, vol. 3, 11.3). A Pentium has no no-execute and no global pages: those flags are 0.
 */
#ifndef AMALGAM_ARCH_PTE_H
#define AMALGAM_ARCH_PTE_H

#include <types.h>

typedef u32 pte_t;

#define PTE_P    (1u << 0)
#define PTE_W    (1u << 1)
#define PTE_U    (1u << 2)
#define PTE_PWT  (1u << 3)
#define PTE_PCD  (1u << 4)
#define PTE_PS   (1u << 7)
#define PTE_G    0u
#define PTE_NX   0u
#define PTE_ADDR 0xfffff000u

#define PTE_TABLE_SPAN (4 * MIB) /* bytes that one table of pages maps */

#endif
