/* SPDX-License-Identifier: MIT */
/* switch_hardware.S - the first instruction of a new task. Every switch of tasks sets TS, so it is cleared first. */
    .text
    .globl task_start
task_start:
    clts
    jmp context_start

    .section .note.GNU-stack, "", @progbits
