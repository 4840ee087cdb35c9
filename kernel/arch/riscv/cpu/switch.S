/* SPDX-License-Identifier: MIT */
/* switch.S - switches from one kernel stack to another. */
#include <arch/saved.h>

    .text
/* context_switch(from, to): push the callee-saved registers, exchange the stacks, pop them. */
    .globl context_switch
context_switch:
    addi sp, sp, -SAVED_SIZE
    SAVED STORE
    STORE sp, (a0)
    LOAD sp, (a1)
    SAVED LOAD
    addi sp, sp, SAVED_SIZE
    ret

/* A thread runs for the first time: s0 = entry, s1 = its argument. */
    .globl context_start
context_start:
    mv a0, s1
    jalr s0
    unimp

/* call_on_stack(fn, arg, top): call fn on another stack and never return. */
    .globl call_on_stack
call_on_stack:
    mv sp, a2
    mv t0, a0
    mv a0, a1
    jalr t0
    unimp

    .section .note.GNU-stack, "", @progbits
