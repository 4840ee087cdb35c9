/* SPDX-License-Identifier: MIT */
/* threads.S (32 bits) - the first instructions of a thread, and a change to another stack. Arguments are in eax, edx, ecx
 * (-mregparm=3). */
    .text
/* A thread runs for the first time: ebx = entry, esi = its argument (context.c). */
    .globl context_start
context_start:
    mov %esi, %eax
    call *%ebx
    ud2

/* call_on_stack(fn, arg, top): call fn on another stack and never return. */
    .globl call_on_stack
call_on_stack:
    mov %ecx, %esp
    mov %eax, %ecx
    mov %edx, %eax
    call *%ecx
    ud2

    .section .note.GNU-stack, "", @progbits
