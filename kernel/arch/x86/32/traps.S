/* SPDX-License-Identifier: MIT */
/*
 * traps.S (32 bits) - saves registers in a struct trap_frame, calls C, and returns. With processes user/entry.S is in
 * its place.
 *
 * Only a double fault has its own stack, because it is a task (double_fault.c).
 */
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
    TRAP_FROM_KERNEL

    VECTOR_TABLE

    .section .note.GNU-stack, "", @progbits
