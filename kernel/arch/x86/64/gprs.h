/* SPDX-License-Identifier: MIT */
/*
 * gprs.h - saves general registers, for assembly files: on the stack in two groups by the C convention, and around
 * VMRUN, which switches only RAX and RSP, in a record of 16 in the order of their encoding.
 */
/* The registers that a C function may change, and those that it preserves: together the lower part of a struct
 * trap_frame. */
    .macro PUSH_CALLERS
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %rax
    push %r8
    push %r9
    push %r10
    push %r11
    .endm
    .macro PUSH_SAVED
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    .endm
    .macro POP_SAVED
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    .endm
    .macro POP_CALLERS
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rax
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    .endm

/* A guest's registers, at `regs` bytes behind rdi. RBX is in the first group, because exits on the fast path change
 * it. */
    .macro LOAD_GUEST regs
    mov \regs + 8 * 3(%rdi), %rbx
    mov \regs + 8 * 1(%rdi), %rcx
    mov \regs + 8 * 2(%rdi), %rdx
    mov \regs + 8 * 6(%rdi), %rsi
    mov \regs + 8 * 8(%rdi), %r8
    mov \regs + 8 * 9(%rdi), %r9
    mov \regs + 8 * 10(%rdi), %r10
    mov \regs + 8 * 11(%rdi), %r11
    mov \regs + 8 * 7(%rdi), %rdi
    .endm
    .macro LOAD_GUEST_SAVED regs
    mov \regs + 8 * 5(%rdi), %rbp
    mov \regs + 8 * 12(%rdi), %r12
    mov \regs + 8 * 13(%rdi), %r13
    mov \regs + 8 * 14(%rdi), %r14
    mov \regs + 8 * 15(%rdi), %r15
    .endm
/* The record's address is on top of the stack; afterwards it is also in rdi. */
    .macro SAVE_GUEST regs
    mov (%rsp), %rax
    SAVE_GUEST_AT_RAX \regs
    .endm
/* The same with the record's address in rax. */
    .macro SAVE_GUEST_AT_RAX regs
    mov %rbx, \regs + 8 * 3(%rax)
    mov %rcx, \regs + 8 * 1(%rax)
    mov %rdx, \regs + 8 * 2(%rax)
    mov %rsi, \regs + 8 * 6(%rax)
    mov %rdi, \regs + 8 * 7(%rax)
    mov %r8, \regs + 8 * 8(%rax)
    mov %r9, \regs + 8 * 9(%rax)
    mov %r10, \regs + 8 * 10(%rax)
    mov %r11, \regs + 8 * 11(%rax)
    mov %rax, %rdi
    .endm
    .macro SAVE_GUEST_SAVED regs
    mov %rbp, \regs + 8 * 5(%rdi)
    mov %r12, \regs + 8 * 12(%rdi)
    mov %r13, \regs + 8 * 13(%rdi)
    mov %r14, \regs + 8 * 14(%rdi)
    mov %r15, \regs + 8 * 15(%rdi)
    .endm
