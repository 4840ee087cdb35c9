/* SPDX-License-Identifier: MIT */
/* arch/pte.h (RISC-V, 32 bits) - Sv32 (privileged architecture, 4.3), and what lies where in the upper quarter. */
#ifndef AMALGAM_ARCH_PTE_H
#define AMALGAM_ARCH_PTE_H

#include <types.h>

#define PT_LEVELS 2
#define PT_BITS   10
#define SATP_MODE (1ul << 31)
#define PTE_PPN   0xfffffc00ul /* the number of a page or table, from bit 10 on */
#define PTE_N     0ul          /* there is no Svnapot with Sv32 */

#define LINEAR_BASE  0xc0000000ul
#define LINEAR_SIZE  0x20000000ul
#define STACKS_BASE  0xe0000000ul
#define DEVICES_BASE 0xf0000000ul

#endif
