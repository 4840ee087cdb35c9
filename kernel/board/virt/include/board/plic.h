/* SPDX-License-Identifier: MIT */
/* board/plic.h (virt) - registers of the PLIC (RISC-V Platform-Level Interrupt Controller 1.0). */
#ifndef AMALGAM_BOARD_PLIC_H
#define AMALGAM_BOARD_PLIC_H

#define PLIC_ENABLE         0x2000u
#define PLIC_ENABLE_STRIDE  0x80u
#define PLIC_CONTEXT        0x200000u
#define PLIC_CONTEXT_STRIDE 0x1000u
#define PLIC_MAX_IRQ        1023u
#define PLIC_MAX_CONTEXT    15871u

#endif
