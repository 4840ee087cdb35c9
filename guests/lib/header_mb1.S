/* SPDX-License-Identifier: MIT */
/* Multiboot 1 header (specification 0.6.96, 3.1.1): asks for page-aligned modules and the memory map. */
    .section .start, "ax"
    .balign 4
    .long 0x1badb002, 3, -(0x1badb002 + 3)
