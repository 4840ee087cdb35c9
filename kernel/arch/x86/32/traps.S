/* SPDX-License-Identifier: MIT */
/*
 * traps.S (32 bits) - saves registers in a struct trap_frame, calls C, and returns.
 *
 * Only a double fault has its own stack, because it is a task (double_fault.c). C functions take their first three
 * arguments in eax, edx, ecx (-mregparm=3).
 */
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
    pusha
    lea 52(%esp), %eax
    mov %eax, 12(%esp)          /* the interrupted stack pointer, struct trap_frame's esp */
    cld
    mov %esp, %eax
    call trap_dispatch
    .globl trap_return
trap_return:                    /* for backtrace.c: a struct trap_frame is above this return address */
    popa
    add $8, %esp
    iret

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

    .section .rodata
    .balign 4
    .globl vector_table
vector_table:
    .macro ENTRY n
    .long vector_\n
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
