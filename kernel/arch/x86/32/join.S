/* SPDX-License-Identifier: MIT */
/* join.S (32 bits) - brings another core from boot/trampoline.S to C, on a stack that only the kernel's page tables
 * map. */
    .section .boot.text, "ax"
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

    .section .boot.data, "aw"
    .balign 4
    .globl ap_stack, ap_cr3
ap_stack:  .long 0              /* smp.c: the stack of the core that is being started, the kernel's tables */
ap_cr3:    .long 0

    .section .note.GNU-stack, "", @progbits
