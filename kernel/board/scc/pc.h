/* SPDX-License-Identifier: MIT */
/* pc.h - addresses on a PC on which a boot loader has started the image (pc.c, pc.S). */
#ifndef AMALGAM_BOARD_SCC_PC_H
#define AMALGAM_BOARD_SCC_PC_H

#define PC_LAPIC     0xfee00000
#define PC_START     0x7000   /* where its other cores begin, below 1 MiB */
#define PC_DIRECTORY 0x8000   /* in a core's memory: the LUT as a page directory */
#define PC_KEPT      0x400000 /* the image as it was loaded */
#define PC_SYSTEM    0x800000 /* the system image, here and in a core's memory */

#endif
