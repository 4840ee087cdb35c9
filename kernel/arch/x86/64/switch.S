/* SPDX-License-Identifier: MIT */
/* switch.S - from one thread's stack to another's. */
#include "gprs.h"
    .text
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

    .section .note.GNU-stack, "", @progbits
