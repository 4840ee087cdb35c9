/* SPDX-License-Identifier: MIT */
/* trap.S - 256 entries that build a struct trap_frame, and guarded(). */
    .text
    .code64
    .global trap_entries
    .balign 16
trap_entries: /* 16 bytes each: trap.c computes the addresses */
    .set vector, 0
    .rept 256
    .balign 16
    .if (vector == 8) || (vector >= 10 && vector <= 14) || (vector == 17) || (vector == 21) || (vector == 29) || (vector == 30)
    .else
    push $0
    .endif
    push $vector
    jmp trap_common
    .set vector, vector + 1
    .endr
    .balign 16
trap_common:
    push %rax
    push %rbx
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %rbp
    push %r8
    push %r9
    push %r10
    push %r11
    push %r12
    push %r13
    push %r14
    push %r15
    cld
    mov %rsp, %rdi
    call trap_c
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rbp
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rbx
    pop %rax
    add $16, %rsp
    iretq

/* int guarded(void (*body)(void *), void *argument) */
    .global guarded, guarded_unwind, guarded_stack
guarded:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    pushfq
    mov %rsp, guarded_stack
    mov %rdi, %rax
    mov %rsi, %rdi
    sub $8, %rsp
    call *%rax
    xor %eax, %eax
/* trap_c resumes here with RAX = vector + 1 */
guarded_unwind:
    mov guarded_stack, %rsp
    movq $0, guarded_stack
    popfq
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    cld
    ret

    .bss
    .balign 8
guarded_stack: .skip 8
    .section .note.GNU-stack, "", @progbits
