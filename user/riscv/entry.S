/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the first instruction of a process. SP points at argc, argv, the environment and the auxiliary vector; every
 * other register is 0. The frame pointer stays 0, so that a walk up the stack ends here.
 */
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    mv a0, sp
    andi sp, sp, -16
    call amalgam_start
    unimp
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
