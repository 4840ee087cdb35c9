/* SPDX-License-Identifier: MIT */
/*
 * switch.S - into a guest and back. A guest has its own page tables and descriptor tables, so a change is one of all of
 * them. What must be mapped on both sides of it is between para_code and para_code_end, which setup.c copies into a
 * page of its own; that code has absolute addresses only.
 *
 * The guest's task state stays the processor's from para_begin() to para_end(): in ring 0 it is read only where a
 * double fault enters a task, and such a fault of the kernel between the two resets the board without a word.
 *
 * Interrupts are off in between, but in the guest, where they are always on. An NMI in the few instructions between a
 * change of CR3 and those of the tables finds no table: a triple fault. Nobody sends one but a kernel that stops.
 */
#include "layout.h"
#include <generated/para_calls.h>
    .altmacro
    .text
/* para_begin(state) */
    .globl para_begin
para_begin:
    sgdt STATE_HOST_GDTR(%eax)
    sidt STATE_HOST_IDTR(%eax)
    mov %cr3, %ecx
    mov %ecx, STATE_HOST_CR3(%eax)
    /* LTR sets a bit in the descriptor, and needs it clear: by the address at which the table can be written. */
    andb $~2, SEL_PARA_TSS + 5(%eax)
    lgdt STATE_LINEAR_GDTR(%eax)
    mov $SEL_PARA_TSS, %ecx
    ltr %cx
    lgdt STATE_HOST_GDTR(%eax)
    ret
/* para_end(state) */
    .globl para_end
para_end:
    mov STATE_HOST_GDTR + 2(%eax), %eax
    andb $~2, HOST_TSS + 5(%eax)
    mov $HOST_TSS, %ecx
    ltr %cx
    ret
/* para_enter(state, cr3): returns where the guest's registers are when it has left, an address in its page of them; or
 * 1 + the vector of what happened while they were loaded. */
    .globl para_enter
para_enter:
    push %ebx
    push %esi
    push %edi
    push %ebp
    mov %esp, STATE_HOST_ESP(%eax)
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
    je 3f
2:  pusha
    push %ds
    push %es
    push %fs
    push %gs
    mov %esp, %eax
1:  mov %ss:PARA_STATE + STATE_HOST_CR3, %edx
    mov %ss:PARA_STATE + STATE_HOST_ESP, %esp
    lgdt %ss:PARA_STATE + STATE_HOST_GDTR
    lidt %ss:PARA_STATE + STATE_HOST_IDTR
    mov %edx, %cr3
    ljmp $HOST_CODE, $para_left
3:  testb $FLAGS_VM >> 16, 18(%esp)
    jnz 2b
    movzbl (%esp), %eax         /* the guest's registers could not be loaded; or an NMI */
    inc %eax
    jmp 1b
    .balign 16
para_int80:                     /* in ring 1, straight from a program: an interrupt gate clears the flag */
    bound %esp, %cs:PARA_STATE + STATE_STACK
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
    pop %ebp
    pop %edi
    pop %esi
    pop %ebx
    ret
    .section .note.GNU-stack, "", @progbits
