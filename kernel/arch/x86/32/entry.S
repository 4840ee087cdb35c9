/* SPDX-License-Identifier: MIT */
/*
 * entry.S (32 bits) - to C: the first core from boot/entry.S, on the boot stack, the others from boot/trampoline.S, on
 * theirs, which only the kernel's own page tables show.  The image is linked where it lies, so the first core goes on as its
 * loader left it, without paging or with a map of one to one; paging.c builds the tables.
 */
    .section .boot.text, "ax"
    .globl boot_width
boot_width:
    call load_segments
    call arch_main

    .globl boot_join
boot_join:                      /* paging off, flat segments of the trampoline, no stack */
    mov %cr4, %eax
    or $0x10, %eax              /* PSE: paging.c asks for it where it is */
    cmpb $0, paging_large
    je 1f
    mov %eax, %cr4
1:  mov ap_cr3, %eax
    mov %eax, %cr3
    mov $0x80010033, %eax       /* PG WP NE ET MP PE */
    mov %eax, %cr0
    jmp 2f                      /* (the manual wants a branch behind the change) */
2:  mov ap_stack, %esp
    call load_segments
    call smp_ap_main
    ud2

load_segments:
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
    .balign 4
    .globl ap_stack, ap_cr3
ap_stack:  .long 0              /* smp.c: the stack of the core that is being started, the kernel's tables */
ap_cr3:    .long 0

    .section .note.GNU-stack, "", @progbits
