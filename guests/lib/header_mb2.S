/* SPDX-License-Identifier: MIT */
/* Multiboot 2 header (specification 2.0, 3.1.1): i386, no requests, end tag. */
    .section .start, "ax"
    .balign 8
header:
    .long 0xe85250d6, 0, header_end - header, -(0xe85250d6 + (header_end - header))
    .short 0, 0
    .long 8
header_end:
