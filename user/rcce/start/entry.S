/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the first instruction of a native program. The kernel calls it with a struct native_calls (native/calls.h) on
 * the kernel's stack. The program switches to its own stack, [stack, heap), and never returns.
 */
#define CALLS_HEAP 40 /* offsetof(struct native_calls, heap): start.c */

    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    mov 4(%esp), %eax
    mov CALLS_HEAP(%eax), %esp
    xor %ebp, %ebp
    push %eax
    call rcce_start
    int3
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
