/* SPDX-License-Identifier: MIT */
/*
 * traps.S - from a vector to a struct trap_frame and C, and back. Only the kernel runs outside guests in this shape, so
 * there is no swapgs, and no stack switch but by IST for NMI, double fault and machine check.
 */
#include "gprs.h"
#include "vectors.h"
    .text
    VECTOR_RANGE vector_, 0, 19, exception_entry
exception_entry:
    jmp trap_entry
    VECTOR_RANGE vector_, 20, 31, exception_entry
    VECTOR_RANGE vector_, 240, 255, trap_entry
    .globl vector_unexpected
vector_unexpected:
    push $0
    push $32

    .globl trap_entry
trap_entry:
    PUSH_CALLERS
    PUSH_SAVED
    cld
    mov %rsp, %rdi
    call trap_dispatch
    .globl trap_return
trap_return:                    /* backtrace.c: a struct trap_frame is above this return address */
    POP_SAVED
    POP_CALLERS
    add $16, %rsp
    iretq

/* context_switch(from, to): push callee-saved registers, exchange stacks. */
    .globl context_switch
context_switch:
    PUSH_SAVED
    mov %rsp, (%rdi)
    mov (%rsi), %rsp
    POP_SAVED
    ret

/* First resume of a thread: r12 = entry, r13 = its argument. */
    .globl context_start
context_start:
    mov %r13, %rdi
    call *%r12
    ud2

/* call_on_stack(fn, arg, top): leave the boot stack for good. */
    .globl call_on_stack
call_on_stack:
    mov %rdx, %rsp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    ud2

    .section .rodata
    .balign 8
    .globl vector_table
vector_table:
    .macro ENTRY n
    .quad vector_\n
    .endm
    .macro ENTRY_RANGE from, to
    .set i, \from
    .rept \to - \from + 1
    ENTRY %i
    .set i, i + 1
    .endr
    .endm
    ENTRY_RANGE 0, 31
    ENTRY_RANGE 240, 255

    .section .note.GNU-stack, "", @progbits
