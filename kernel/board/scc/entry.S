/* SPDX-License-Identifier: MIT */
/* entry.S - the first instruction of the image, to which reset.S jumps: protected mode, with the LUT's page
 * directory. */
    .section .start, "ax"
    .globl start_scc
start_scc:
    cli
    cld
    mov $boot_stack_top, %esp
    jmp boot_width

    .bss
    .balign 4096
    .skip 8192
    .globl boot_stack_top
boot_stack_top:

    .section .note.GNU-stack, "", @progbits
