/* SPDX-License-Identifier: MIT */
/* switch_software.S - context_switch(from, to): push the callee-saved registers, exchange the stacks, pop them. */
    .text
    .globl context_switch
context_switch:
    push %ebx
    push %esi
    push %edi
    push %ebp
    mov %esp, (%eax)
    mov (%edx), %esp
    pop %ebp
    pop %edi
    pop %esi
    pop %ebx
    ret

    .section .note.GNU-stack, "", @progbits
