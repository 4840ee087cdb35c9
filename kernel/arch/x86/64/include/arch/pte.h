/* SPDX-License-Identifier: MIT */
/* arch/pte.h (x86, 64 bits) - entries of page tables, the kernel's own and nested ones (APM vol. 2, 5.3). */
#ifndef AMALGAM_ARCH_PTE_H
#define AMALGAM_ARCH_PTE_H

#include <types.h>

typedef u64 pte_t;

#define PTE_P    (1ul << 0)
#define PTE_W    (1ul << 1)
#define PTE_U    (1ul << 2)
#define PTE_PWT  (1ul << 3)
#define PTE_PCD  (1ul << 4)
#define PTE_PS   (1ul << 7)
#define PTE_G    (1ul << 8)
#define PTE_NX   (1ul << 63)
#define PTE_ADDR 0x000ffffffffff000ul

#define PTE_TABLE_SPAN (2 * MIB) /* bytes that one table of pages maps */

#endif
