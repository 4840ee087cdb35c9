/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the first instruction of a process. RSP points at argc, argv, the environment and the auxiliary vector; every
 * other register is 0. The frame pointer stays 0, so that a walk up the stack ends here.
 */
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    xor %ebp, %ebp
    mov %rsp, %rdi
    and $-16, %rsp
    call amalgam_start
    ud2
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
