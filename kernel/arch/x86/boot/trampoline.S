/* SPDX-License-Identifier: MIT */
/*
 * trampoline.S - entry of a started core (SIPI) in real mode. smp.c copies this page to SMP_TRAMPOLINE. It switches to
 * flat 32-bit protected mode and continues in entry.S. First it takes its claim. A core that comes after smp.c has
 * given it up finds the claim withdrawn and halts here, because the code beyond may have been freed.
 */
#define SMP_TRAMPOLINE 0x8000

    .section .rodata
    .globl trampoline_start, trampoline_claim, trampoline_end
    .code16
trampoline_start:
    cli
    cld
    xor %ax, %ax
    mov %ax, %ds
    mov $1, %al
    xchg %al, SMP_TRAMPOLINE + (trampoline_claim - trampoline_start)
    test %al, %al
    jz 4f
0:  hlt
    jmp 0b
4:  lgdtl SMP_TRAMPOLINE + (1f - trampoline_start)
    mov $0x11, %eax
    mov %eax, %cr0
    ljmpl $0x18, $SMP_TRAMPOLINE + (2f - trampoline_start)
    .balign 8
1:  .word 31
    .long SMP_TRAMPOLINE + (3f - trampoline_start)
    .balign 8
3:  .quad 0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cf9b000000ffff
    .code32
2:  mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %ss
    mov $boot_join, %eax
    jmp *%eax
trampoline_claim:
    .byte 0
trampoline_end:

    .section .note.GNU-stack, "", @progbits
