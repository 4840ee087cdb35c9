/* SPDX-License-Identifier: MIT */
/* Multiboot 2 header (specification 2.0, 3.1): requires a framebuffer, and information about it. */
    .section .start, "ax"
    .balign 8
header:
    .long 0xe85250d6, 0, header_end - header, -(0xe85250d6 + (header_end - header))
    .short 1, 0
    .long 16, 7, 8               /* VBE, framebuffer */
    .short 5, 0
    .long 20, 1024, 768, 32
    .balign 8
    .short 0, 0
    .long 8
header_end:
