/* SPDX-License-Identifier: MIT */
/*
 * traps.S - from a vector to a struct trap_frame and C, and back. Only the kernel runs outside guests in this shape, so
 * there is no swapgs, and no stack switch but by IST. With processes user/entry.S is in its place.
 */
#include "gprs.h"
#include "vectors.h"
    .text
    VECTOR_RANGE vector_, 0, 19, exception_entry
exception_entry:
    jmp trap_entry
    VECTOR_RANGE vector_, 20, 31, exception_entry
    VECTOR_RANGE vector_, 240, 255, trap_entry
vector_unexpected:
    push $0
    push $32

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

    VECTOR_TABLE

    .section .note.GNU-stack, "", @progbits
