/* SPDX-License-Identifier: MIT */
/*
 * switch.S - into a guest and back. A guest has its own page tables, descriptor tables and task state, so a change is
 * one of all of them. What must be mapped on both sides of it is between para_code and para_code_end, which setup.c
 * copies into a page of its own; that code has absolute addresses only.
 *
 * Interrupts are off from para_enter() to its return; in the guest they are always on. An NMI in the few instructions
 * between a change of CR3 and that of the interrupt table finds no table: a triple fault. Nobody sends one but a kernel that stops.
 */
#include "layout.h"
#include <generated/para_calls.h>
    .altmacro
    .text
/* para_enter(state, cr3): returns 0 when the guest has left, its registers in its page; else 1 + the vector of what
 * happened while they were loaded. */
    .globl para_enter
para_enter:
    push %ebx
    push %esi
    push %edi
    push %ebp
    sub $16, %esp
    sgdt (%esp)
    sidt 8(%esp)
    mov %esp, STATE_HOST_ESP(%eax)
    mov %cr3, %ecx
    mov %ecx, STATE_HOST_CR3(%eax)
    /* LTR sets a bit in the descriptor, and needs it clear: by the address at which the table can be written. */
    andb $~2, SEL_PARA_TSS + 5(%eax)
    lgdt STATE_LINEAR_GDTR(%eax)
    mov $SEL_PARA_TSS, %ecx
    ltr %cx
    lgdt STATE_GDTR(%eax)
    lidt STATE_IDTR(%eax)
    mov $PARA_REGS + 4096 - REGS_SIZE, %esp
    jmp *enter_at
    .section .rodata
enter_at:
    .long PARA_CODE
    .text

    .balign 16
    .globl para_code, para_code_end, para_int80, para_int80_end, para_vectors
para_code:
    mov %edx, %cr3
    pop %gs
    pop %fs
    pop %es
    pop %ds
    popa
    add $8, %esp
    iret
leave:                          /* vector, error, EIP, CS, EFLAGS, ESP, SS are on the stack */
    cld
    cmpw $SEL_PARA_CODE, 12(%esp)
    je 1f
    pusha
    push %ds
    push %es
    push %fs
    push %gs
    xor %eax, %eax
    jmp 2f
1:  movzbl (%esp), %eax         /* the guest's registers could not be loaded; or an NMI */
    inc %eax
2:  mov %ss:PARA_STATE + STATE_HOST_CR3, %edx
    mov %ss:PARA_STATE + STATE_HOST_ESP, %esp
    mov %edx, %cr3
    lgdt (%esp)
    lidt 8(%esp)
    ljmp $HOST_CODE, $para_left
    .balign 16
para_int80:                     /* in ring 1, straight from a program: an interrupt gate clears the flag */
    movl $0, %ss:PARA_SHARE + PARA_SHARE_FLAG
    jmp *%ss:PARA_SHARE + PARA_SHARE_ENTRY
para_int80_end:
    .balign 16
para_vectors:                   /* 16 bytes each: 0 to 31, 0xf0 to 0xff, the call, CPUID */
    .macro VECTOR n
    .balign 16
    .if (\n != 8) && (\n != 10) && (\n != 11) && (\n != 12) && (\n != 13) && (\n != 14) && (\n != 17)
    push $0
    .endif
    push $\n
    jmp leave
    .endm
    .set n, 0
    .rept 32
    VECTOR %n
    .set n, n + 1
    .endr
    .set n, 0xf0
    .rept 16
    VECTOR %n
    .set n, n + 1
    .endr
    VECTOR PARA_VECTOR
    VECTOR PARA_CPUID
para_code_end:

para_left:
    mov $HOST_DATA, %edx
    mov %edx, %ds
    mov %edx, %es
    mov %edx, %ss
    mov $HOST_CPU, %edx
    mov %edx, %gs
    xor %edx, %edx
    mov %edx, %fs
    mov 2(%esp), %edx           /* the kernel's descriptor table */
    andb $~2, HOST_TSS + 5(%edx)
    mov $HOST_TSS, %ecx
    ltr %cx
    add $16, %esp
    pop %ebp
    pop %edi
    pop %esi
    pop %ebx
    ret
    .section .note.GNU-stack, "", @progbits
