/* SPDX-License-Identifier: MIT */
/*
 * entry.S (32 bits) - brings the first core from boot/entry.S to C, on the boot stack.
 *
 * The image is linked at its load address. So the core goes on as its loader has left it, without paging or with a
 * one-to-one map. paging.c builds the tables.
 */
    .section .boot.text, "ax"
    .globl boot_width
boot_width:
    call load_segments
    call arch_main

    .globl load_segments
load_segments:                  /* flat ones, of a table of our own */
    lgdt boot_gdtr
    ljmp $8, $1f
1:  mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    xor %eax, %eax
    mov %eax, %fs
    mov %eax, %gs
    ret

    .section .boot.data, "aw"
    .balign 8
boot_gdt:
    .quad 0
    .quad 0x00cf9b000000ffff    /* 0x08 code */
    .quad 0x00cf93000000ffff    /* 0x10 data */
boot_gdtr:
    .word boot_gdtr - boot_gdt - 1
    .long boot_gdt

    .section .note.GNU-stack, "", @progbits
