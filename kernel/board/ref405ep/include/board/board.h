/* SPDX-License-Identifier: MIT */
/* board/board.h - addresses on the 405EP evaluation board. */
#ifndef AMALGAM_BOARD_BOARD_H
#define AMALGAM_BOARD_BOARD_H

#define SHARED_BASE  0x00001000 /* the kernel's shared data; the memory is zero at first */
#define SRAM_BASE    0xfff00000 /* private to the core */
#define SRAM_SIZE    0x00080000
#define CORE_ID_WORD 0xfff70004 /* number of this core, written by the loader */
#define START_STACK  0xfff6fff0 /* until the schedule runs */
#define UART0_BASE   0xef600300
#define UART1_BASE   0xef600400
#define UIC_UART0    0 /* interrupt controller inputs */
#define UIC_UART1    1

#endif
