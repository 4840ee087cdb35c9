/* SPDX-License-Identifier: MIT */
/* arch/pte.h (RISC-V, 64 bits) - Sv39 (privileged architecture, 4.4), and what lies where in the upper half. */
#ifndef AMALGAM_ARCH_PTE_H
#define AMALGAM_ARCH_PTE_H

#include <types.h>

#define PT_LEVELS 3
#define PT_BITS   9
#define SATP_MODE (8ul << 60)
#define PTE_PPN   0x003ffffffffffc00ul /* the number of a page or table, from bit 10 on */
#define PTE_N     (1ul << 63)          /* one of the entries of a page that has several (Svnapot, chapter 5) */

#define LINEAR_BASE  0xffffffc000000000ul
#define LINEAR_SIZE  0x1000000000ul
#define STACKS_BASE  0xffffffe000000000ul
#define DEVICES_BASE 0xfffffff000000000ul

#endif
