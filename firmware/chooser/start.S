/* SPDX-License-Identifier: MIT */
/* start.S - entry by multiboot2 in 32-bit protected mode (its specification, 3.3), and the way on into the kernel with
 * the same registers. */
#define MAGIC 0x36d76289

    .section .multiboot2, "a"
    .balign 8
header:
    .long 0xe85250d6, 0, header_end - header, -(0xe85250d6 + 0 + (header_end - header))
    .balign 8
    .short 6, 0                 /* modules page aligned, as the kernels want */
    .long 8
    .balign 8
    .short 0, 0
    .long 8
header_end:

    .text
    .globl start
start:
    cli
    cld
    mov $stack_top, %esp
    push %ebx
    push %ebx
    call chooser                /* returns the kernel's entry, or 0: it has said why */
    add $4, %esp
    pop %ebx
    test %eax, %eax
    jz 1f
    mov %eax, %ecx
    mov $MAGIC, %eax
    jmp *%ecx
1:  hlt
    jmp 1b

    .bss
    .balign 16
    .skip 4096
stack_top:
    .section .note.GNU-stack, "", @progbits
