/* SPDX-License-Identifier: MIT */
/* Multiboot 1 header (specification 0.6.96, 3.1.1): as header_mb1.S; also asks for a video mode, text of 80 by 25. */
    .section .start, "ax"
    .balign 4
    .long 0x1badb002, 7, -(0x1badb002 + 7)
    .long 0, 0, 0, 0, 0          /* addresses: the ELF file has them */
    .long 1, 80, 25, 0
