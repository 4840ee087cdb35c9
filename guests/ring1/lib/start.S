/* SPDX-License-Identifier: MIT */
/* start.S - the first instructions of a guest in ring 1, its handlers' entries, and a program in ring 3. */
#include "amalgam_calls.h"
    .altmacro
    .text
    .globl start
start:
    mov $stack_end, %esp
    push %esi                   /* Linux' boot parameters: main()'s argument */
    call main
    call ring1_off

    .macro vector n
    .balign 16
vector_\n:
    .if (\n != 8) && (\n != 10) && (\n != 11) && (\n != 12) && (\n != 13) && (\n != 14) && (\n != 17)
    push $0
    .endif
    push $\n
    jmp common
    .endm
    .globl vectors
    .balign 16
vectors:                        /* 16 bytes each: 0 to 63, then 0x80 */
    .set n, 0
    .rept 64
    vector %n
    .set n, n + 1
    .endr
    vector 0x80
common:                         /* struct trap of ring1.h */
    cld
    pusha
    push %ds
    push %es
    mov $0x18, %eax
    mov %eax, %ds
    mov %eax, %es
    push %esp
    call ring1_trap
    add $4, %esp
    pop %es
    pop %ds
    popa
    add $8, %esp
    /* what stands for IRET */
    pushl 8(%esp)
    popl %ss:AMALGAM_SHARE + AMALGAM_SHARE_FLAG
    cmpl $0, %ss:AMALGAM_SHARE + AMALGAM_SHARE_PENDING
    jne 1f
    iret
1:  push %eax
    mov $AMALGAM_IRET, %eax
    int $AMALGAM_VECTOR

/* ring1_program(at, stack): enter ring 3 there; returns when a handler calls ring1_back(). */
    .globl ring1_program, ring1_back
ring1_program:
    mov 4(%esp), %eax
    mov 8(%esp), %edx
    push %ebx
    push %esi
    push %edi
    push %ebp
    mov %esp, back
    push $0x2b
    push %edx
    push $0x202
    push $0x23
    push %eax
    mov $0x2b, %ecx
    mov %ecx, %ds
    mov %ecx, %es
    iret
ring1_back:
    mov 4(%esp), %eax
    mov $0x18, %ecx
    mov %ecx, %ds
    mov %ecx, %es
    mov back, %esp
    pop %ebp
    pop %edi
    pop %esi
    pop %ebx
    ret

    .bss
    .balign 16
    .skip 16384
stack_end:
    .skip 4096
    .globl trap_stack
trap_stack:
back:
    .skip 4
    .section .note.GNU-stack, "", @progbits
