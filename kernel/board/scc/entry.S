/* SPDX-License-Identifier: MIT */
/* entry.S - the first instruction of the image, to which reset.S jumps: protected mode, with the LUT's page
 * directory. Behind it is the header for a boot loader on a PC, which enters at pc.S. */
    .section .start, "ax"
    .globl start_scc
start_scc:
    cli
    cld
    mov $boot_stack_top, %esp
    jmp boot_width

    .balign 8
1:  .long 0xe85250d6, 0, 2f - 1b, -(0xe85250d6 + 0 + (2f - 1b))
    .short 3, 0                 /* entry address */
    .long 12
    .long start_multiboot2
    .balign 8
    .short 0, 0
    .long 8
2:

    .bss
    .balign 4096
    .skip 8192
    .globl boot_stack_top
boot_stack_top:

    .section .note.GNU-stack, "", @progbits
