/* SPDX-License-Identifier: MIT */
/* arch/pte.h (x86, 32 bits, stand-in) - two levels, without no-execute and global pages (Pentium). */
#ifndef AMALGAM_TESTS_X86_32_PTE_H
#define AMALGAM_TESTS_X86_32_PTE_H

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

#define PTE_TABLE_SPAN (4 * MIB)

#endif
