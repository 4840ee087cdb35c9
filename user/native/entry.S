/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the first instruction of a native program on each core. The kernel calls it with a struct native_calls
 * (native/calls.h) on a stack of its own; the program goes to the one it has for this core, and never returns.
 */
#define CALLS_STACK_END 72 /* offsetof(struct native_calls, stack_end): start.h */

    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    mov 4(%esp), %eax
    mov CALLS_STACK_END(%eax), %esp
    xor %ebp, %ebp
    push %eax
    call native_start
    int3
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
